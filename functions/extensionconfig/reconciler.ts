// The ExtensionConfig reconciler: its declaration and its parts.
import { phasedReconciler, type Reconciler } from '@capi-serverless/reconciler';
import type { PortsOf } from '../../shared/ports.ts';
import { extensionConfigDeclaration } from './declaration.ts';
import { observe } from './observe.ts';
import { type ConfigPlan, plan } from './plan.ts';
import { report } from './report.ts';
import type { ExtensionConfigSettings } from './seen.ts';

export function createExtensionConfigReconciler(
  settings: ExtensionConfigSettings,
): Reconciler<PortsOf<typeof extensionConfigDeclaration>, ConfigPlan> {
  return phasedReconciler({
    declaration: extensionConfigDeclaration,
    observe: (primary, ask, pass) => observe(primary, ask, { pass, settings }),
    plan,
    report,
  });
}
