// Text: numbers, sizes, times and cells as people read them. Pure.

const KIB = 1024;
const MIB = KIB * KIB;
/** Of JSON and CSV, by `o200k_base`: the median of 18 data sets. */
export const BYTES_A_TOKEN = 2.7;

const whole = new Intl.NumberFormat("en-US");

/** `1,234` */
export const count = (value) => whole.format(value);

/** `1 row`, `2 rows` */
export const many = (value, noun) => `${count(value)} ${noun}${value === 1 ? "" : "s"}`;

/** `91 KB`, `1.4 MB`; 1 KB is 1,024 bytes, as in a handle. */
export function size(bytes) {
  if (Math.abs(bytes) < KIB) return `${count(bytes)} B`;
  if (Math.abs(bytes) < MIB) return `${(bytes / KIB).toFixed(bytes < 10 * KIB ? 1 : 0)} KB`;
  return `${(bytes / MIB).toFixed(bytes < 100 * MIB ? 1 : 0)} MB`;
}

/** An estimate, with as many digits as it is worth: `820`, `12.3k`, `1.2M`. */
export function tokens(bytes) {
  const value = Math.round(bytes / BYTES_A_TOKEN);
  if (value < 1000) return count(value);
  if (value < 1e6) return `${(value / 1000).toFixed(value < 1e5 ? 1 : 0)}k`;
  return `${(value / 1e6).toFixed(1)}M`;
}

/** The time of day of an ISO stamp, in the reader's own zone: `12:03:44`. */
export function clock(stamp) {
  const date = new Date(stamp);
  return Number.isNaN(date.getTime()) ? "" : date.toLocaleTimeString("en-GB");
}

/** `4 ms`, `1.3 s` */
export const duration = (ms) => (ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`);

/** JSON on several lines; any other text as it is. Digits stay as they were written. */
export function pretty(text) {
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  let depth = 0;
  const line = () => `\n${"  ".repeat(depth)}`;
  return text.replace(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+|\s+/g, (piece, at) => {
    if (/^\s/.test(piece)) return "";
    if (piece === "{" || piece === "[") {
      depth += 1;
      return /^\s*[}\]]/.test(text.slice(at + 1, at + 64)) ? piece : piece + line();
    }
    if (piece === "}" || piece === "]") {
      depth -= 1;
      return /[{[]\s*$/.test(text.slice(Math.max(0, at - 64), at)) ? piece : line() + piece;
    }
    return piece === "," ? piece + line() : piece === ":" ? ": " : piece;
  });
}

/** A name as SQL takes it. */
export const quoted = (name) => `"${name.replaceAll('"', '""')}"`;

/** A text as SQL takes it. */
export const literal = (text) => `'${text.replaceAll("'", "''")}'`;

/** Whether values of a DuckDB type are numbers. */
export const isNumber = (type) => /^(U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER|DECIMAL\(.*\)|DOUBLE|FLOAT|BIGNUM)$/.test(type);

/** Whether values of a DuckDB type are lists. */
export const isList = (type) => type.endsWith("]");

/** Whether values of a DuckDB type hold others. */
export const isNested = (type) => /^(STRUCT|MAP|UNION|JSON)|\]$/.test(type);

/** A type in a few characters: `STRUCT {login, id}` becomes `STRUCT`. */
export const shortType = (type) => (isList(type) ? "LIST" : type.startsWith("STRUCT") ? "STRUCT" : type);
