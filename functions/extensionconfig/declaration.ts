// Declares the fields and permissions of the ExtensionConfig reconciler.

import { declare, type PolicyRule } from '@capi-serverless/reconciler';
import { extensionConfigKind, runtimeGroup } from '../../shared/api/extension-config/kind.ts';

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
    why: 'reads ca.crt of the Secret that an annotation names; only the ExtensionConfigs name it',
  },
];

export const extensionConfigDeclaration = declare({
  name: 'extensionconfig',
  primary: extensionConfigKind,
  gate: 'RuntimeSDK',
  timeoutSeconds: 120,
  fieldManager: 'capi-serverless',
  eventSource: 'extensionconfig-controller',
  owns: { conditions: ['Paused', 'Discovered'], v1beta1: ['Discovered'], status: ['handlers'] },
  ports: ['hooks'],
  rules,
  // There is no watch on Secrets, because permission to watch them is permission to read all of them. A timer detects a
  // rotated authority.
  watches: [],
  dropsOwnStatus: 'all',
});
