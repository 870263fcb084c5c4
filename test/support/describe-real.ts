// Suites that need a real control plane are skipped, or fail, where there is none.
import { writeSync } from 'node:fs';
import { describe, it } from 'vitest';
import { type ControlPlaneBinaries, findControlPlaneBinaries } from './control-plane-binaries.ts';

/**
 * A suite that needs a real control plane. Without one it is skipped with one line that says why, or it fails where
 * CAPI_REQUIRE_REAL=1 is set. `needs: 'controllers'` asks for kube-controller-manager too.
 */
export function describeReal(
  name: string,
  declare: (binaries: ControlPlaneBinaries) => void,
  options: { readonly needs?: 'controllers' } = {},
): void {
  const found = findControlPlaneBinaries();
  const missing = 'missing' in found ? found.missing : missingController(found, options.needs);
  if (!('missing' in found) && missing === undefined) {
    describe(name, () => declare(found));
  } else if (process.env['CAPI_REQUIRE_REAL'] === '1') {
    it(`${name}: needs a real control plane`, () => {
      throw new Error(`CAPI_REQUIRE_REAL=1, but ${missing}`);
    });
  } else {
    // Written to the descriptor itself: the test runner would wrap a console line in three of its own.
    writeSync(2, `Skipped "${name}": ${missing}\n`);
    describe.skip(name, () => {
      it('needs a real control plane', () => {});
    });
  }
}

function missingController(found: ControlPlaneBinaries, needs: 'controllers' | undefined): string | undefined {
  return needs === 'controllers' && found.controllerManager === undefined
    ? `${found.dir} holds no kube-controller-manager`
    : undefined;
}
