// What an ExtensionConfig is made of, how it is doing, and why: for lines, trees and explanations. Pure.
import { pausedAnnotation } from '../../../shared/api/cluster/reader.ts';
import { type ExtensionConfig, readExtensionConfig } from '../../../shared/api/extension-config/reader.ts';
import type { Unstructured } from '../../../shared/api/object.ts';
import type { Explanation } from './explain.ts';
import type { Mark } from './objects.ts';
import { annotate } from './remedies.ts';
import { limited, type Node, type TreeRow, toRows } from './tree.ts';
import { conditionsOf, type ShownCondition, toWhy, type Wait } from './waiting.ts';

export interface ExtensionView {
  readonly discovered: boolean;
  /** Full names, in the order of the extension server. */
  readonly handlers: readonly string[];
  /** Empty when nothing is missing. */
  readonly waitingFor: string;
}

export function viewExtension(object: Unstructured): ExtensionView {
  const wait = waitOfExtension(object);
  return {
    discovered: conditionOf(object, 'Discovered')?.status === 'True',
    handlers: readExtensionConfig(object).status.handlers.map(({ name }) => name),
    waitingFor: wait === undefined ? '' : toText(wait),
  };
}

/** What it waits for, and the condition that says so; `undefined` when its handlers are known. */
export function waitOfExtension(object: Unstructured): Wait | undefined {
  const paused = conditionOf(object, 'Paused');
  if (paused?.status === 'True') {
    return { until: 'its pause to end', condition: paused };
  }
  const discovered = conditionOf(object, 'Discovered');
  if (discovered === undefined) {
    return { until: 'its first discovery', condition: undefined };
  }
  return discovered.status === 'True' ? undefined : { until: 'Discovered', condition: discovered };
}

/** The ExtensionConfig first, then its handlers. */
export function toExtensionTree(object: Unstructured): readonly TreeRow[] {
  const view = viewExtension(object);
  const handlers = readExtensionConfig(object).status.handlers.map(({ name, requestHook }): Node => {
    // While the server does not answer, the last known handlers are called all the same.
    const mark = view.discovered ? 'ready' : 'unknown';
    return { name: requestHook.hook, mark, detail: name, children: [] };
  });
  return toRows({
    name: `ExtensionConfig/${object.metadata.name}`,
    mark: markOf(object),
    detail: toDetail(view),
    children: limited(handlers),
  });
}

function markOf(object: Unstructured): Mark {
  if (conditionOf(object, 'Paused')?.status === 'True') {
    return 'paused';
  }
  const discovered = conditionOf(object, 'Discovered');
  if (discovered === undefined) {
    return 'waiting';
  }
  return discovered.status === 'True' ? 'ready' : 'failing';
}

/** In one line, without its name. */
export function toDetail({ handlers, waitingFor }: ExtensionView): string {
  const count = handlers.length === 1 ? '1 handler' : `${handlers.length} handlers`;
  return waitingFor === '' ? `Discovered  ${count}` : `waiting for ${waitingFor}`;
}

/** `undefined` when it waits for nothing. */
export function explainExtension(object: Unstructured): Explanation | undefined {
  const wait = waitOfExtension(object);
  if (wait === undefined) {
    return undefined;
  }
  const { condition } = wait;
  return {
    waitsFor: wait.until,
    ...(condition === undefined ? {} : { condition: toConditionText(condition) }),
    pointsTo: [],
    remedies: remediesOf(object, condition),
  };
}

function remediesOf(object: Unstructured, condition: ShownCondition | undefined): readonly string[] {
  if (condition === undefined) {
    return ['see whether the functions run, and whether CAPI_FEATURE_GATES holds RuntimeSDK=true'];
  }
  if (condition.type === 'Paused') {
    return [`take the annotation away: ${annotate(object, `${pausedAnnotation}-`)}`];
  }
  const config = readExtensionConfig(object);
  return [
    condition.message.startsWith('failed to reconcile caBundle')
      ? 'mend the Secret that the annotation names: it must be there, with the certificate authority under ca.crt'
      : `see whether ${addressOf(config)} answers, and whether its certificate is by an authority of the caBundle`,
    `have it asked now: npm run reconcile -- extensionconfig ${object.metadata.name}`,
  ];
}

function addressOf({ spec }: ExtensionConfig): string {
  const { url, service } = spec.clientConfig;
  return url ?? (service === undefined ? 'the extension server' : `Service ${service.namespace}/${service.name}`);
}

function conditionOf(object: Unstructured, type: string): ShownCondition | undefined {
  return conditionsOf(object).find(condition => condition.type === type);
}

function toConditionText({ type, status, reason, message }: ShownCondition): string {
  return `${type} is ${status} (${reason})${message === '' ? '' : `: ${toWhy({ message, reason })}`}`;
}

function toText({ until, condition }: Wait): string {
  return condition === undefined ? until : `${until}: ${toWhy(condition)}`;
}
