// Plans the writes for one object or one template. Sends the API requests that the plan requires.

import type { DryRunPort, Reads } from '@capi-serverless/apimachinery';
import { type HealthCheckPair, toHealthCheckChange } from '../../plan/changes/health-check-change.ts';
import { finishObject, type ObjectChange, startObject } from '../../plan/changes/object-change.ts';
import type { TopologyPlan } from '../../plan/changes/step.ts';
import {
  finishTemplate,
  type PlannedTemplate,
  planSuccessor,
  startTemplate,
  type TemplateChange,
  toRotation,
} from '../../plan/changes/template-change.ts';
import { chooseRotatedName } from '../object-names.ts';
import { findDifference } from './difference.ts';

export type PlanAsk = Pick<Reads, 'get' | 'metadata'> & DryRunPort;

/** Creates or changes an object whose name never changes. */
export async function planObject(object: ObjectChange, ask: DryRunPort): Promise<TopologyPlan> {
  const started = startObject(object);
  return started.state === 'planned'
    ? started.plan
    : finishObject(started.change, await findDifference(started.change.compared, ask));
}

/**
 * Creates a template or changes its metadata in place. If its spec changes, creates a new template that replaces it.
 */
export async function planTemplate(change: TemplateChange, ask: PlanAsk): Promise<PlannedTemplate> {
  const started = startTemplate(change);
  const step =
    started.state === 'compare'
      ? finishTemplate(started.template, await findDifference(started.compared, ask))
      : started;
  return step.state === 'planned'
    ? step.template
    : planSuccessor(step.template, await chooseRotatedName(toRotation(step.template), ask));
}

export async function planHealthCheck(pair: HealthCheckPair, ask: DryRunPort): Promise<TopologyPlan> {
  const change = toHealthCheckChange(pair);
  return change.state === 'planned' ? change.plan : planObject(change.change, ask);
}
