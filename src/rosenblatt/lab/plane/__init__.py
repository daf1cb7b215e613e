"""Points in the plane, and learners on them: what the playground and Compare show."""
