// The ExtensionConfig reconciler: what it owns, needs and watches, and the four parts it consists of.
import { extensionConfigKind, runtimeGroup } from '../../shared/api/extension-config/kind.ts';
import type { Declaration, PolicyRule, Reconciler } from '../../shared/kernel/types.ts';
import type { HooksPort } from '../../shared/runtime-hooks/port.ts';
import { discoveredType } from './conditions/discovered.ts';
import { decide } from './decide.ts';
import { observe } from './observe.ts';
import { report } from './report.ts';
import type { Seen, Settings } from './seen.ts';

const rules: readonly PolicyRule[] = [
  {
    apiGroups: [runtimeGroup],
    resources: ['extensionconfigs'],
    verbs: ['get', 'patch'],
    why: 'reads the ExtensionConfig, writes its caBundle',
  },
  { apiGroups: [runtimeGroup], resources: ['extensionconfigs/status'], verbs: ['patch'], why: 'reports status' },
  {
    apiGroups: [''],
    resources: ['secrets'],
    verbs: ['get'],
    why: 'reads ca.crt of the Secret that an annotation names; whose it is, only the ExtensionConfigs tell',
  },
];

export const extensionConfigDeclaration: Declaration = {
  name: 'extensionconfig',
  primary: extensionConfigKind,
  gate: 'RuntimeSDK',
  timeoutSeconds: 120,
  fieldManager: 'capi-serverless',
  eventSource: 'extensionconfig-controller',
  owns: { conditions: ['Paused', discoveredType], v1beta1: [discoveredType], status: ['handlers'] },
  ports: ['hooks'],
  rules,
  // No watch on Secrets: whoever watches could read all of them. A rotated authority is found by asking again.
  watches: [],
};

export function createExtensionConfigReconciler(settings: Settings): Reconciler<HooksPort, Seen> {
  return {
    declaration: extensionConfigDeclaration,
    observe: (primary, ask, pass) => observe(primary, ask, { pass, settings }),
    decide,
    report,
  };
}
