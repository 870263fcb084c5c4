// The templates of the MachineSet: the owner reference of the Cluster, and the errors of templates that are missing or
// cannot be read.

import { concluded, isDeleting } from '@capi-serverless/reconciler';
import type { Cluster } from '../../../shared/api/cluster/reader.ts';
import { revisionAnnotation } from '../../../shared/machine-collections/keys.ts';
import { ownTemplate } from '../../../shared/machine-collections/own-template.ts';
import type { ObservedMachineSet, TemplateRead } from '../seen.ts';
import type { MachineSetPhase } from './pass-progress.ts';

export type SetTemplateRole = 'infrastructure' | 'bootstrap';

const problems: Readonly<Record<SetTemplateRole, string>> = {
  infrastructure: 'failed to reconcile infrastructure',
  bootstrap: 'failed to reconcile bootstrapConfig',
};

export function ownTemplateId(role: SetTemplateRole): string {
  return `own:${role}`;
}

type TemplateFacts = Pick<ObservedMachineSet, 'machineSet' | 'cluster' | 'deployment' | 'infrastructure' | 'bootstrap'>;

export function templatePhase(role: SetTemplateRole, facts: TemplateFacts): MachineSetPhase {
  const read = facts[role];
  switch (read.state) {
    case 'undefined':
    case 'noTemplate':
      return concluded();
    case 'missing':
      return needsTemplates(facts) ? failedPhase(role, read.problem) : concluded();
    case 'failed':
      return failedPhase(role, read.problem);
    case 'found':
      return ownedPhase(role, read, facts.cluster);
  }
}

function failedPhase(role: SetTemplateRole, problem: string): MachineSetPhase {
  return concluded({ errors: [`${problems[role]}: ${problem}`] });
}

function ownedPhase(
  role: SetTemplateRole,
  { object: template }: Extract<TemplateRead, { state: 'found' }>,
  cluster: Cluster | undefined,
): MachineSetPhase {
  const id = ownTemplateId(role);
  return {
    actions: cluster === undefined ? [] : ownTemplate({ id, onError: 'continue', template, cluster }),
    steps: [{ change: {}, needs: [{ id, problem: problems[role] }] }],
  };
}

/** A MachineSet of an old revision creates no Machines, and neither does one in deletion. */
function needsTemplates({ machineSet, deployment }: TemplateFacts): boolean {
  const revisionOf = ({ metadata }: Pick<TemplateFacts['machineSet'], 'metadata'>) =>
    metadata.annotations[revisionAnnotation];
  return !isDeleting(machineSet) && (deployment === undefined || revisionOf(deployment) === revisionOf(machineSet));
}

/** Returns the kinds of the templates that do not exist: first bootstrap, then infrastructure. */
export function missingTemplateKinds({ bootstrap, infrastructure }: TemplateFacts): readonly string[] {
  return [bootstrap, infrastructure].flatMap(read => (read.state === 'missing' ? [read.ref.kind] : []));
}
