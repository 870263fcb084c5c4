// Describes suites that need further programs. Without them a suite is skipped or fails.
import { writeSync } from 'node:fs';
import { describe, it } from 'vitest';

/**
 * A suite that needs `part`. Without it the suite is skipped with one line: the reason. If CAPI_REQUIRE_REAL=1 is
 * set, it fails instead.
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
    // Written to the descriptor itself: the test runner would print a console line as four lines.
    writeSync(2, `Skipped "${name}": ${missing}\n`);
    describe.skip(name, () => {
      it(`needs ${part}`, () => {});
    });
  }
}
