// Declares suites that need further programs. Without these programs, a suite is skipped or fails.
import { writeSync } from 'node:fs';
import { describe, it } from 'vitest';

/**
 * Declares a suite that needs `part`. Without it, the suite is skipped and prints the reason in one line. If
 * CAPI_REQUIRE_REAL=1 is set, it fails instead.
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
  declareMissing(`${name}: needs ${part}`, String(found.missing));
}

/**
 * Declares a test instead of tests whose part is missing. It is skipped and prints the reason in one line. If
 * CAPI_REQUIRE_REAL=1 is set, it fails instead, unless the part is optional: a program that CI does not install.
 */
export function declareMissing(name: string, missing: string, { isOptional = false } = {}): void {
  const isRequired = process.env['CAPI_REQUIRE_REAL'] === '1' && !isOptional;
  if (!isRequired) {
    // Written to the file descriptor directly, because the test runner prints a console line as four lines.
    writeSync(2, `Skipped "${name}": ${missing}\n`);
  }
  it.skipIf(!isRequired)(name, () => {
    throw new Error(`CAPI_REQUIRE_REAL=1, but ${missing}`);
  });
}
