// Rows: a table's rows, read in pieces as they are looked at.
// Rule: one question at a time, and the newest wish counts; an answer may hold fewer rows than asked, for it is bounded.
import {useEffect, useMemo, useState} from "./view.js";
import {query} from "./link.js";
import {quoted} from "./text.js";

const PIECE = 200;
const MOST_KEPT = 20_000;
const CELL_PIECE = 120; // Characters: at most 480 bytes, which no answer cuts.
const CELL_PIECES = 400;

class Rows {
  constructor(session, table, sort, changed) {
    this.session = session;
    this.table = table;
    this.order = sort ? ` ORDER BY ${quoted(sort.column)} ${sort.direction} NULLS LAST, rowid` : "";
    this.changed = changed;
    this.stop = new AbortController();
    this.rows = new Map();
    this.wish = [0, PIECE];
    this.isAsking = false;
    this.columns = null;
    this.total = 0;
    this.error = null;
  }

  from() {
    return `FROM ${quoted(this.table)}`;
  }

  ask(sql, maxRows) {
    return query(this.session, sql, {maxRows, signal: this.stop.signal});
  }

  async open() {
    try {
      const counted = await this.ask(`SELECT count(*) ${this.from()}`);
      this.total = Number(counted.rows[0][0]);
      await this.read(0);
      this.more();
    } catch (error) {
      this.fail(error);
    }
  }

  async read(start) {
    const found = await this.ask(`SELECT * ${this.from()}${this.order} LIMIT ${PIECE} OFFSET ${start}`, PIECE);
    this.columns ??= found.columns;
    if (this.rows.size > MOST_KEPT) this.rows.clear();
    found.rows.forEach((row, at) => this.rows.set(start + at, row));
    this.changed();
    return found.rows.length;
  }

  want(first, last) {
    this.wish = [first, last];
    this.more();
  }

  async more() {
    if (this.isAsking || this.error || !this.columns) return;
    this.isAsking = true;
    try {
      for (let start = this.missing(); start !== null; start = this.missing()) if (!(await this.read(start))) break;
    } catch (error) {
      this.fail(error);
    }
    this.isAsking = false;
  }

  missing() {
    for (let at = this.wish[0]; at < Math.min(this.wish[1], this.total); at += 1) if (!this.rows.has(at)) return at;
    return null;
  }

  fail(error) {
    if (error.name === "AbortError") return;
    this.error = error;
    this.changed();
  }

  /** One cell in full: read piece by piece, for an answer cuts long ones. */
  async whole(row, column, signal) {
    const one = `SELECT ${quoted(column)}::VARCHAR AS v ${this.from()}${this.order} LIMIT 1 OFFSET ${row}`;
    let text = "";
    for (let from = 0; ; from += CELL_PIECES) {
      const piece = `substr(v, 1 + ${CELL_PIECE} * i, ${CELL_PIECE})`;
      const sql = `SELECT ${piece} AS piece FROM (${one}), unnest(range(${from}, ${from + CELL_PIECES})) AS r(i) WHERE ${piece} <> '' ORDER BY i`;
      const found = await query(this.session, sql, {maxRows: CELL_PIECES, signal});
      text += found.rows.map(([part]) => part).join("");
      if (found.rows.length < CELL_PIECES) return text;
    }
  }
}

/** The rows of a table in an order; `version` changes when there is more to see. */
export function useRows(session, table, sort) {
  const [version, setVersion] = useState(0);
  const rows = useMemo(
    () => new Rows(session, table, sort, () => setVersion((before) => before + 1)),
    [session, table, sort?.column, sort?.direction],
  );
  useEffect(() => {
    rows.open();
    return () => rows.stop.abort();
  }, [rows]);
  return [rows, version];
}
