// The templates of the deployment: whether a MachineSet can be created from them, and their owner reference.
import type { Action } from '@capi-serverless/reconciler';
import type { Cluster } from '../../../shared/api/cluster/reader.ts';
import { ownTemplate } from '../../../shared/machine-collections/own-template.ts';
import type { DeploymentTemplate } from '../seen.ts';

export type DeploymentTemplateRole = 'infrastructure' | 'bootstrap';

export function ownTemplateId(role: DeploymentTemplateRole): string {
  return `own:${role}`;
}

/** Returns the error of the first template that could not be read. A missing template is no error. */
export function templateProblem(templates: readonly DeploymentTemplate[]): string | undefined {
  return templates.flatMap(template => (template.state === 'failed' ? [template.problem] : []))[0];
}

export function ownTemplateActions(
  role: DeploymentTemplateRole,
  template: DeploymentTemplate,
  cluster: Cluster,
): readonly Action[] {
  return template.state === 'found'
    ? ownTemplate({ id: ownTemplateId(role), onError: 'stop', template: template.object, cluster })
    : [];
}
