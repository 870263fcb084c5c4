// Suites that need more than npm are skipped, or fail, where that part is missing.
import { writeSync } from 'node:fs';
import { describe, it } from 'vitest';

/**
 * A suite that needs `part`. Where it is missing the suite is skipped with one line that says why, or it fails where
 * CAPI_REQUIRE_REAL=1 is set.
 */
export function describePart<Found extends object>(
  name: string,
  found: Found | { readonly missing: string },
  { part, declare }: { readonly part: string; readonly declare: (found: Found) => void },
): void {
  if (!('missing' in found)) {
    describe(name, () => declare(found));
    return;
  }
  const missing = String(found.missing);
  if (process.env['CAPI_REQUIRE_REAL'] === '1') {
    it(`${name}: needs ${part}`, () => {
      throw new Error(`CAPI_REQUIRE_REAL=1, but ${missing}`);
    });
  } else {
    // Written to the descriptor itself: the test runner would wrap a console line in three of its own.
    writeSync(2, `Skipped "${name}": ${missing}\n`);
    describe.skip(name, () => {
      it(`needs ${part}`, () => {});
    });
  }
}
