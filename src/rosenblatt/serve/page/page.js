// What the service knows of a model, drawn anew every two seconds.
"use strict";

const EVERY = 2000;
const $ = (id) => document.getElementById(id);
let token = null;
let shown = null;

// A number as people write it: whole ones with commas, others with three digits that matter.
function written(value, digits = 3) {
  if (Number.isInteger(value)) return value.toLocaleString("en");
  const size = Math.abs(value);
  if (size >= 1e6 || size < 0.001) return value.toExponential(digits - 1);
  return size >= 1000 ? value.toLocaleString("en", {maximumSignificantDigits: digits}) : value.toPrecision(digits);
}

// Two numbers with so many digits that one sees how they differ.
function compared(before, now) {
  const digits = [3, 4, 5, 6, 7].find((n) => written(before, n) !== written(now, n)) || 7;
  return [written(before, digits), written(now, digits)];
}

const percent = (value) => `${(100 * value).toFixed(value < 0.1 ? 2 : 1)}%`;

// An element with attributes and children; text is never markup.
function make(name, attributes = {}, ...children) {
  const svg = ["svg", "path", "line", "text", "circle", "rect", "title"].includes(name);
  const made = svg ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

async function ask(path) {
  const headers = token === null ? {} : {authorization: `Bearer ${token}`};
  const answer = await fetch(path, {headers});
  const found = await answer.json();
  if (!answer.ok) throw Object.assign(new Error(found.error), {status: answer.status});
  return found;
}

function facts(info) {
  const progress = info.progress, shown = info.classes === undefined ? written : percent;
  const [kind, learner] = info.kind.replace(/([a-z])([A-Z])/g, "$1\u200b$2").split(", "); // may break there
  const rows = [["Kind", learner || kind, learner ? kind : ""]];
  if (progress) {
    rows.push(["Examples learned", written(info.examples), `position ${written(info.position)}`]);
    rows.push(["Features", written(info.features), info.classes ? `classes: ${info.classes.join(", ") || "none yet"}` : ""]);
    if (progress.examples) {
      rows.push(["Error, all time", shown(progress.error), "before learning"]);
      rows.push([`Error, last ${written(progress.window)}`, shown(progress.window_error), progress.band ? `usually ${shown(progress.band[0])} to ${shown(progress.band[1])}` : ""]);
    }
  } else if (info.classes) rows.push(["Classes", written(info.classes.length), info.classes.slice(0, 6).join(", ")]);
  $("facts").replaceChildren(...rows.map(([name, value, more]) =>
    make("div", {}, make("dt", {}, name), make("dd", {}, value, make("small", {}, more)))));
  $("alert").hidden = !(progress && progress.alert);
  if (progress && progress.alert)
    $("alert").textContent = `The error over the last ${written(progress.window)} examples has left its band, and is ${shown(progress.window_error)} now: the stream may have changed.`;
}

const clock = (seconds) => new Date(1000 * seconds).toLocaleTimeString("en-GB");

function curve(history, info) {
  const shown = info.classes === undefined ? written : percent, progress = info.progress;
  const figure = $("curve").querySelector("figure");
  if (!history.length) {
    $("curve-text").textContent = "Nothing has been learned in the last day.";
    figure.replaceChildren();
    return;
  }
  const points = history.map((one) => [one.start + one.seconds / 2, one.errors / one.examples, one]);
  const width = Math.max(320, figure.clientWidth || 900), height = 230, left = 52, bottom = 24, top = 10;
  const first = history[0].start, last = history.at(-1).start + history.at(-1).seconds;
  const high = Math.max(...points.map((one) => one[1]), progress.band ? progress.band[1] : 0, info.classes === undefined ? 1e-9 : 0.01) * 1.08;
  const x = (at) => left + (at - first) / (last - first) * (width - left - 12);
  const y = (error) => height - bottom - error / high * (height - bottom - top);
  const svg = make("svg", {viewBox: `0 0 ${width} ${height}`, role: "img", "aria-labelledby": "curve-title curve-text"});
  const step = 10 ** Math.floor(Math.log10(high)), every = [0.2, 0.5, 1, 2].map((n) => n * step).find((n) => high / n <= 6) || step;
  const tick = (error) => info.classes === undefined ? written(error) : `${(100 * error).toFixed(every < 0.01 ? 1 : 0)}%`;
  for (let error = 0; error <= high; error += every) {
    svg.append(make("line", {class: "grid", x1: left, x2: width - 12, y1: y(error), y2: y(error)}));
    svg.append(make("text", {x: left - 8, y: y(error) + 4, "text-anchor": "end"}, tick(error)));
  }
  for (const share of width < 500 ? [0, 0.5, 1] : [0, 0.25, 0.5, 0.75, 1]) {
    const at = first + share * (last - first), anchor = share === 0 ? "start" : share === 1 ? "end" : "middle";
    svg.append(make("text", {x: x(at), y: height - 6, "text-anchor": anchor}, clock(at)));
  }
  if (progress.band) {
    const [low, up] = progress.band;
    svg.append(make("rect", {class: "band", x: left, width: width - left - 12, y: y(up), height: y(low) - y(up)}));
    svg.append(make("line", {class: "mean", x1: left, x2: width - 12, y1: y(progress.error), y2: y(progress.error)}));
  }
  if (points.length > 1)
    svg.append(make("path", {class: "line", d: points.map(([at, error], k) => `${k ? "L" : "M"}${x(at).toFixed(1)} ${y(error).toFixed(1)}`).join("")}));
  if (points.length <= 60)
    for (const [at, error, one] of points)
      svg.append(make("circle", {class: "dot", r: 3, cx: x(at), cy: y(error)}, make("title", {}, `${clock(one.start)}: ${shown(error)} of ${written(one.examples)}`)));
  figure.replaceChildren(svg);
  const parts = `each point is ${written(history[0].seconds)} s`;
  $("curve-text").textContent = `Each example is predicted before it is learned from; ${parts}. ` +
    (progress.band ? "The dashed line is the mean over all time, the band four standard errors of the window." : "");
}

function weights(table, rows, changed) {
  const most = Math.max(...rows.map((one) => Math.abs(changed ? one.weight - one.before : one.weight)), 1e-300);
  const several = new Set(rows.map((one) => one.class)).size > 1;
  const head = make("tr", {}, make("th", {scope: "col"}, "feature"), make("th", {class: "number", scope: "col"}, changed ? "before" : "weight"));
  if (changed) head.append(make("th", {class: "number", scope: "col"}, "now"));
  head.append(make("th", {class: "bar", scope: "col"}, ""));
  const body = rows.map((one) => {
    const by = changed ? one.weight - one.before : one.weight, size = 50 * Math.abs(by) / most;
    const bar = make("svg", {viewBox: "0 0 100 12", preserveAspectRatio: "none", "aria-hidden": "true"},
      make("rect", {class: by < 0 ? "minus" : "plus", x: by < 0 ? 50 - size : 50, y: 1, width: size, height: 10}));
    const name = several ? `${one.feature} → ${one.class}` : one.feature;
    const cells = [make("td", {title: name}, name)];
    for (const value of changed ? compared(one.before, one.weight) : [written(one.weight)]) cells.push(make("td", {class: "number"}, value));
    return make("tr", {}, ...cells, make("td", {class: "bar"}, bar));
  });
  table.replaceChildren(...(rows.length ? [make("thead", {}, head), make("tbody", {}, ...body)] : []));
}

function signs(info) {
  if (!info.classes) return "Above zero makes the number larger.";
  return info.classes.length === 2 ? `To the right for ${info.classes[1]}, to the left for ${info.classes[0]}.` : "To the right for the class, to the left against it.";
}

async function draw(name) {
  const info = await ask(`/v1/models/${encodeURIComponent(name)}`), learns = info.progress !== undefined;
  const path = `/v1/models/${encodeURIComponent(name)}`;
  const [history, found] = learns ? await Promise.all([ask(`${path}/history`), ask(`${path}/weights`)]) : [];
  if (name !== shown) return;
  facts(info);
  for (const section of document.querySelectorAll("section")) section.hidden = !learns;
  if (learns) {
    curve(history.history, info);
    weights($("largest"), found.largest, false);
    weights($("changed"), found.changed, true);
    $("largest-text").textContent = found.largest.length ? signs(info) : "There are none yet.";
    $("changed-text").textContent = found.changed.length ? `It was taken at position ${written(found.snapshot)}.` : `Nothing since position ${written(found.snapshot)}.`;
  }
  $("state").textContent = `as of ${new Date().toLocaleTimeString("en-GB")}`;
  document.body.dataset.state = "ready";
}

async function look() {
  try {
    const {models} = await ask("/v1/models");
    const wanted = decodeURIComponent(location.hash.slice(1));
    shown = models.includes(wanted) ? wanted : models[0];
    document.querySelector("nav").replaceChildren(...models.map((name) =>
      make("a", {href: `#${encodeURIComponent(name)}`, ...(name === shown ? {"aria-current": "page"} : {})}, name)));
    document.querySelector("main").hidden = false;
    $("ask").hidden = true;
    await draw(shown);
  } catch (error) {
    if (error.status === 401) {
      $("ask").hidden = false;
      $("wrong").textContent = token === null ? "" : "This is not the token.";
      document.querySelector("main").hidden = true;
      $("state").textContent = "";
    } else $("state").textContent = error.status ? error.message : "The service does not answer.";
  }
}

async function again() {
  if (!document.hidden && $("ask").hidden) await look();
  setTimeout(again, EVERY);
}

$("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  token = $("token").value;
  look();
});
addEventListener("hashchange", look);
addEventListener("resize", look);
look().then(() => setTimeout(again, EVERY));
