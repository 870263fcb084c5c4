// The ExtensionConfig reconciler: its declaration and its parts.
import type { Reconciler } from '@capi-serverless/reconciler';
import type { PortsOf } from '../../shared/ports.ts';
import { decide } from './decide.ts';
import { extensionConfigDeclaration } from './declaration.ts';
import { observe } from './observe.ts';
import { report } from './report.ts';
import type { ExtensionConfigSeen, ExtensionConfigSettings } from './seen.ts';

export function createExtensionConfigReconciler(
  settings: ExtensionConfigSettings,
): Reconciler<PortsOf<typeof extensionConfigDeclaration>, ExtensionConfigSeen> {
  return {
    declaration: extensionConfigDeclaration,
    observe: (primary, ask, pass) => observe(primary, ask, { pass, settings }),
    decide,
    report,
  };
}
