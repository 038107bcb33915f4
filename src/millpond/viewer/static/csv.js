// CSV: answers of the engine, cell by cell. An empty field that is not quoted is NULL, a quoted one an empty text.

/** Records of fields; a field is a text or null. */
export function parseCsv(text) {
  const records = [];
  let record = [];
  let at = 0;
  for (;;) {
    const [field, end] = text[at] === '"' ? quotedField(text, at + 1) : plainField(text, at);
    record.push(field);
    at = end;
    if (at >= text.length) {
      records.push(record);
      return records;
    }
    if (text[at] === "\n") {
      records.push(record);
      record = [];
    }
    at += 1;
  }
}

function quotedField(text, start) {
  let field = "";
  let at = start;
  for (;;) {
    const end = text.indexOf('"', at);
    if (end < 0) return [field + text.slice(at), text.length];
    field += text.slice(at, end);
    if (text[end + 1] !== '"') return [field, end + 1];
    field += '"';
    at = end + 2;
  }
}

function plainField(text, start) {
  let end = start;
  while (end < text.length && text[end] !== "," && text[end] !== "\n") end += 1;
  return [end === start ? null : text.slice(start, end), end];
}
