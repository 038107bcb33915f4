// Session: what is known of one session, kept in step with what it tells.
import {useEffect, useRef, useState} from "./view.js";
import {follow} from "./link.js";

const MOST_ENTRIES = 2000;
const PAUSE_MS = 60;
const NOTHING = {calls: 0, queries: 0, came_bytes: 0, sent_bytes: 0, answer_bytes: 0};

const empty = () => ({hello: null, gone: {...NOTHING}, entries: new Map(), state: "connecting"});

/** Take in one thing that was told. */
export function take(known, told) {
  if (told.kind === "hello") Object.assign(known, empty(), {hello: told, state: "live"});
  else if (told.kind === "gone") known.gone = told;
  else if (told.kind === "ended") known.state = "ended";
  else {
    known.entries.set(`${told.kind} ${told.number}`, told);
    if (known.entries.size > MOST_ENTRIES) forget(known);
  }
}

/** Count the oldest entry among those that are gone. */
function forget(known) {
  const [key, entry] = known.entries.entries().next().value;
  known.entries.delete(key);
  if (entry.kind === "query") {
    known.gone.queries += 1;
    known.gone.answer_bytes += entry.bytes;
  } else {
    known.gone.calls += 1;
    known.gone.came_bytes += entry.bytes;
    known.gone.sent_bytes += entry.sent_bytes;
  }
}

/** What was kept out of the conversation, and what went in instead; sizes in bytes. */
export function totals(known) {
  const sum = {...known.gone};
  for (const entry of known.entries.values()) {
    if (entry.kind === "query") {
      sum.queries += 1;
      sum.answer_bytes += entry.bytes;
    } else {
      sum.calls += 1;
      sum.came_bytes += entry.bytes;
      sum.sent_bytes += entry.state === "storing" ? entry.bytes : entry.sent_bytes;
    }
  }
  return {...sum, out_bytes: sum.came_bytes - sum.sent_bytes};
}

/** The session of that id, as it is now; rendered anew at most every `PAUSE_MS`, however much is told. */
export function useSession(id) {
  const known = useRef(empty());
  const [, setVersion] = useState(0);
  useEffect(() => {
    known.current = empty();
    let timer = null;
    const show = () => {
      timer ??= setTimeout(() => {
        timer = null;
        setVersion((version) => version + 1);
      }, PAUSE_MS);
    };
    show();
    if (!id) return undefined;
    const stop = follow(
      id,
      (told) => {
        take(known.current, told);
        show();
      },
      (isOver) => {
        if (known.current.state !== "ended") known.current.state = isOver ? "ended" : "connecting";
        show();
      },
    );
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [id]);
  return known.current;
}
