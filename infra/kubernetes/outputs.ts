// Everything below this folder that is generated: which file, from which source. A new output is one entry in `outputs`.
import { declarations } from '../../functions/declarations.ts';
import { stateRules } from '../../functions/windowed-forwarder/rules.ts';
import { coreCrds } from '../../shared/api/crds.ts';
import type { CustomResourceDefinition } from '../../shared/api/schema/definition.ts';
import { defaultProviderGroups } from '../../shared/config/env.ts';
import { toWatchRules } from '../../shared/event-source/watch-rules.ts';
import type { PolicyRule } from '../../shared/kernel/types.ts';
import { simulatedCrds } from '../local/provider/crds/index.ts';
import { toAuditPolicy } from './audit-policy.ts';
import { toRole } from './roles.ts';
import { toDocument, toManifest } from './yaml.ts';

export interface Output {
  /** Path below this folder. */
  readonly path: string;
  readonly text: string;
}

export const auditPolicyPath = 'audit/policy.yaml';

/** Folders that hold nothing but generated files. */
export const generatedFolders: readonly string[] = ['audit', 'crds', 'crds/simulated', 'rbac'];

export const outputs: readonly Output[] = [
  {
    path: auditPolicyPath,
    text: toManifest('functions/declarations.ts', toDocument(toAuditPolicy(declarations, defaultProviderGroups))),
  },
  ...coreCrds.map(crd => toCrdOutput('crds', 'shared/api', crd)),
  ...simulatedCrds.map(crd => toCrdOutput('crds/simulated', 'infra/local/provider/crds', crd)),
  ...declarations.map(declaration => ({
    path: `rbac/${declaration.name}.yaml`,
    text: toManifest('functions/declarations.ts', toRole(declaration)),
  })),
  toRoleOutput('watch-forwarder', toWatchRules(declarations)),
  toRoleOutput('windowed-forwarder', toWatchRules(declarations)),
  toRoleOutput('windowed-forwarder-state', stateRules),
];

function toRoleOutput(name: string, rules: readonly PolicyRule[]): Output {
  return { path: `rbac/${name}.yaml`, text: toManifest('functions/declarations.ts', toRole({ name, rules })) };
}

function toCrdOutput(folder: string, source: string, crd: CustomResourceDefinition): Output {
  return { path: `${folder}/${crd.metadata.name}.yaml`, text: toManifest(source, toDocument(crd)) };
}
