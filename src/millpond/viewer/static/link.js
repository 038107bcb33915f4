// Link: what the page asks of its server. Addresses are relative, so that the secret in the page's own goes along.
import {parseCsv} from "./csv.js";

/** A question that was refused, or could not be asked. */
export class Refused extends Error {
  constructor(message, reason) {
    super(message);
    this.reason = reason;
  }
}

/** The sessions that run, newest first. */
export async function sessions() {
  const answer = await fetch("sessions");
  if (!answer.ok) throw new Refused("The page's server does not answer.", "unavailable");
  return answer.json();
}

/** The rows that a statement gives: `{columns, rows, truncated, notes}`. Throws `Refused`, or `AbortError`. */
export async function query(session, sql, {maxRows = 1000, signal} = {}) {
  let answer;
  try {
    answer = await fetch(`sessions/${session}/query`, {
      method: "POST",
      headers: {"Content-Type": "application/json"},
      body: JSON.stringify({sql, max_rows: maxRows}),
      signal,
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refused("millpond inspect has ended. Start it again.", "unavailable");
  }
  if (!answer.ok) throw new Refused("The page's server did not take the question.", "unavailable");
  const result = await answer.json();
  const text = result.content[0].text;
  if (result.isError) throw new Refused(text, result._meta?.["millpond/error"]?.reason ?? "error");
  const {columns, rows, truncated, notes} = result._meta["millpond/result"];
  return {columns, rows: rows ? parseCsv(text).slice(1) : [], truncated, notes: rows ? notes : []};
}

/** Have everything that a session tells given to `hear`; returns what ends that. `lost` is told where it breaks off. */
export function follow(session, hear, lost) {
  const source = new EventSource(`sessions/${session}/events`);
  source.onmessage = (event) => {
    const told = JSON.parse(event.data);
    if (told.kind === "ended") source.close();
    hear(told);
  };
  source.onerror = () => lost(source.readyState === EventSource.CLOSED);
  return () => source.close();
}
