// Explains what an ExtensionConfig waits for, its handlers, and the remedy. Derived from its status only. Pure.
import { type Answer, answered, type Unstructured } from '@capi-serverless/apimachinery';
import { pausedAnnotation } from '@capi-serverless/cluster-api/conditions';
import { type ExtensionConfig, readExtensionConfig } from '../../shared/api/extension-config/reader.ts';
import { type ConditionView, conditionOf, toWaitText, type Wait } from '../../shared/explain/conditions.ts';
import { type Explanation, toExplanation } from '../../shared/explain/explanation.ts';
import type { Description } from '../../shared/explain/face.ts';
import { annotate } from '../../shared/explain/kubectl.ts';
import type { Mark } from '../../shared/explain/object-view.ts';
import { limited, type ObjectNode, type Shown, type TreeRow, toRows } from '../../shared/explain/tree.ts';

/** The reason why the ExtensionConfig waits, and the related condition. `undefined` if its handlers are known. */
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

function remediesOfExtension(object: Unstructured, condition: ConditionView | undefined): readonly string[] {
  if (condition === undefined) {
    return ['see whether the functions run, and whether CAPI_FEATURE_GATES holds RuntimeSDK=true'];
  }
  if (condition.type === 'Paused') {
    return [`take the annotation away: ${annotate(object, `${pausedAnnotation}-`)}`];
  }
  const config = readExtensionConfig(object);
  return [
    condition.message.startsWith('failed to reconcile caBundle')
      ? 'fix the Secret that the annotation names: it must exist and contain the certificate authority in ca.crt'
      : `see whether ${addressOf(config)} answers, and whether its certificate is by an authority of the caBundle`,
    `call it now: npx capi-serverless reconcile extensionconfig ${object.metadata.name}`,
  ];
}

function addressOf({ spec }: ExtensionConfig): string {
  const { url, service } = spec.clientConfig;
  return url ?? (service === undefined ? 'the extension server' : `Service ${service.namespace}/${service.name}`);
}

export interface ExtensionView {
  readonly discovered: boolean;
  /** The full names of the handlers, in the order of the extension server. */
  readonly handlers: readonly string[];
  /** Empty if the ExtensionConfig waits for nothing. */
  readonly waitingFor: string;
}

export function viewExtension(object: Unstructured): ExtensionView {
  const wait = waitOfExtension(object);
  return {
    discovered: conditionOf(object, 'Discovered')?.status === 'True',
    handlers: readExtensionConfig(object).status.handlers.map(({ name }) => name),
    waitingFor: wait === undefined ? '' : toWaitText(wait),
  };
}

/** Returns the ExtensionConfig first, then its handlers. */
export function toExtensionTree(object: Unstructured): readonly TreeRow[] {
  return toRows(toExtensionNode(object, limited));
}

function toExtensionNode(object: Unstructured, shown: Shown): ObjectNode {
  const view = viewExtension(object);
  const handlers = readExtensionConfig(object).status.handlers.map(({ name, requestHook }): ObjectNode => {
    // While the extension server does not answer, the handlers of the last discovery are still called.
    const mark = view.discovered ? 'ready' : 'unknown';
    return { name: requestHook.hook, mark, detail: name, children: [] };
  });
  return {
    name: `ExtensionConfig/${object.metadata.name}`,
    mark: markOf(object),
    detail: toDetail(view),
    children: shown(handlers),
  };
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

/** Returns the state in one line, without the name. */
export function toDetail({ handlers, waitingFor }: ExtensionView): string {
  const count = handlers.length === 1 ? '1 handler' : `${handlers.length} handlers`;
  return waitingFor === '' ? `Discovered  ${count}` : `waiting for ${waitingFor}`;
}

/** Returns `undefined` if the ExtensionConfig waits for nothing. */
export function explainExtension(object: Unstructured): Explanation | undefined {
  const wait = waitOfExtension(object);
  if (wait === undefined) {
    return undefined;
  }
  const remedies = remediesOfExtension(object, wait.condition);
  return toExplanation(wait, { pointsTo: [], remedies });
}

export async function describeExtension(object: Unstructured): Promise<Answer<Description>> {
  return answered({ tree: shown => toExtensionNode(object, shown), explanation: explainExtension(object) });
}
