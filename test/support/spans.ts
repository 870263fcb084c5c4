// The time that a test file uses besides computing. Measured in support code that bundles or starts something.
type Kind = 'bundling' | 'servers' | 'templates';

/**
 * The milliseconds by kind since the start of the test file. Stored in the global object, because modules may be loaded
 * again.
 */
type Spans = Partial<Record<Kind, number>>;

const key = Symbol.for('capi-serverless.test.spans');
const holder = globalThis as { [key]?: Spans };

/** Resolves like `work`, and adds its duration to the spans of the test file. */
export async function spending<T>(kind: Kind, work: () => Promise<T>): Promise<T> {
  const started = performance.now();
  try {
    return await work();
  } finally {
    add(kind, performance.now() - started);
  }
}

/** The same for synchronous work. */
export function spendingSync<T>(kind: Kind, work: () => T): T {
  const started = performance.now();
  try {
    return work();
  } finally {
    add(kind, performance.now() - started);
  }
}

/** Returns the spans so far and resets them. */
export function takeSpans(): Spans {
  const taken = holder[key] ?? {};
  holder[key] = {};
  return taken;
}

function add(kind: Kind, ms: number): void {
  const spans = holder[key] ?? {};
  holder[key] = { ...spans, [kind]: (spans[kind] ?? 0) + ms };
}
