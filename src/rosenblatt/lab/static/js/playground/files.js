// Files of points: read here as text, understood by the library.

import {wire} from '../wire.js';

/** Read a file; if it cannot be used, say why, and change nothing. */
export async function openFile(screen, file) {
  const {data, limits} = screen;
  data.fail(null);
  if (file.size > limits.csv) {
    data.fail(`${file.name} has ${(file.size / 1e6).toFixed(1)} MB, and the lab takes ${limits.csv / 1e6}; `
      + 'keep fewer rows, or two columns and the class');
    return;
  }
  const text = await file.text();
  if (text.includes('\0')) {
    data.fail(`${file.name} is no text; save it as CSV`);
    return;
  }
  screen.fileName = file.name;
  await upload(screen, text);
}

/** Have text understood as points; columns may be chosen. */
export async function upload(screen, text, columns = null) {
  try {
    screen.taken(await wire.call('playground.upload', {text, columns}), text);
  } catch (error) {
    screen.data.fail(error.message);
  }
}
