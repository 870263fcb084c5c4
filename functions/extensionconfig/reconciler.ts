// The ExtensionConfig reconciler: its declaration and its parts.
import { type EarlyEnd, phasedReconciler, type Reconciler } from '@capi-serverless/reconciler';
import type { PortsOf } from '../../shared/ports.ts';
import { extensionConfigDeclaration } from './declaration.ts';
import { observe } from './observe.ts';
import { type ConfigPlan, type ExtensionConfigSettings, plan } from './plan.ts';
import { report } from './report.ts';

export function createExtensionConfigReconciler(
  settings: ExtensionConfigSettings,
): Reconciler<PortsOf<typeof extensionConfigDeclaration>, ConfigPlan | EarlyEnd> {
  return phasedReconciler({
    declaration: extensionConfigDeclaration,
    observe: (primary, ask, pass) => observe(primary, ask, { pass, settings }),
    plan,
    report,
  });
}
