// The parts of the page that change, and their differences. Pure.

/** The HTML of each part, by the id of its element, in the order of the page. */
export type Fragments = ReadonlyMap<string, string>;

/** A part that is new or different, or that is gone. */
export type FragmentChange =
  | { readonly id: string; readonly html: string /** The part before it in the list. */; readonly after?: string }
  | { readonly id: string; readonly gone: true };

/** Returns what a page with the parts `shown` needs to show `now`. New parts follow the part before them. */
export function changesBetween(shown: Fragments, now: Fragments): readonly FragmentChange[] {
  const gone = [...shown.keys()].filter(id => !now.has(id)).map(id => ({ id, gone: true }) as const);
  const changes: FragmentChange[] = [];
  let after: string | undefined;
  for (const [id, html] of now) {
    const before = shown.get(id);
    if (before !== html) {
      changes.push({ id, html, ...(before === undefined && after !== undefined ? { after } : {}) });
    }
    after = id;
  }
  return [...gone, ...changes];
}
