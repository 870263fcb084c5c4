// The public interface of the ExtensionConfig reconciler for CLI commands. From the status of an ExtensionConfig alone it
// explains what the object waits for, its handlers, and the remedy.
import { type Answer, answered, type Unstructured } from '@capi-serverless/apimachinery';
import { isTrue, pausedAnnotation } from '@capi-serverless/cluster-api/conditions';
import { type EarlyEnd, isEarlyEnd } from '@capi-serverless/reconciler';
import { injectCaAnnotation } from '../../shared/api/extension-config/kind.ts';
import {
  type ExtensionConfig,
  type ExtensionHandler,
  readExtensionConfig,
} from '../../shared/api/extension-config/reader.ts';
import { type ConditionView, conditionOf, toWaitText, type Wait } from '../../shared/explain/conditions.ts';
import { type Explanation, toExplanation } from '../../shared/explain/explanation.ts';
import { type Description, type ExplainContext, type ExplainedAction, toFace } from '../../shared/explain/face.ts';
import { annotate } from '../../shared/explain/kubectl.ts';
import type { Mark } from '../../shared/explain/object-view.ts';
import { limited, type ObjectNode, type Shown, type TreeRow, toRows } from '../../shared/explain/tree.ts';
import type { Hooks } from '../../shared/runtime-hooks/port.ts';
import { discovery } from '../../shared/runtime-hooks/rules/catalog.ts';
import { type ConfigPlan, injectId } from './plan.ts';
import { createExtensionConfigReconciler } from './reconciler.ts';

export const face = toFace({
  reconciler: createExtensionConfigReconciler({ runtimeSdk: true }),
  asReported: { hooks: hooksAsReported },
  whyOf: whyOfExtensionConfig,
  waitOf: waitOfExtension,
  describe: describeExtension,
});

/** Reports every call that would be sent. No answer is cached. */
function hooksAsReported({ reads, ref, wouldAsk }: ExplainContext): Hooks {
  return {
    services: 'dns',
    memory: { get: () => undefined, set: () => undefined },
    async exchange({ hook, url }) {
      const answered = await reads.get(ref);
      const config = answered.ok ? readExtensionConfig(answered.value) : undefined;
      const isKnown = hook === discovery.name && config !== undefined && isTrue(config.status.conditions, 'Discovered');
      const assumed = isKnown ? 'assumed to serve what condition Discovered reports' : 'assumed not to answer';
      wouldAsk(`the extension server at ${new URL(url).origin} by hook ${hook}; ${assumed}; --call-hooks calls it`);
      return isKnown
        ? { ok: true, body: { status: 'Success', handlers: config.status.handlers.map(toShort(ref.name)) } }
        : { ok: false, why: 'exchange', error: 'not called' };
    },
  };
}

/** Removes the name of the ExtensionConfig from a handler name, because extension servers use the short name. */
function toShort(extension: string): (handler: ExtensionHandler) => object {
  const suffix = `.${extension}`;
  return ({ name, timeoutSeconds = 0, ...handler }) => ({
    ...handler,
    timeoutSeconds,
    name: name.endsWith(suffix) ? name.slice(0, -suffix.length) : name,
  });
}

/** Returns `undefined` for an unknown action. */
function whyOfExtensionConfig({ action, seen: plan }: ExplainedAction<ConfigPlan | EarlyEnd>): string | undefined {
  if (action.id !== injectId || isEarlyEnd(plan)) {
    return undefined;
  }
  const secret = plan.config.metadata.annotations[injectCaAnnotation] ?? '';
  return `Secret ${secret}, which the annotation ${injectCaAnnotation} names, has a ca.crt that differs from the caBundle of the spec`;
}

/** The reason why the ExtensionConfig waits, and the related condition. `undefined` if its handlers are known. */
function waitOfExtension(object: Unstructured): Wait | undefined {
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

async function describeExtension(object: Unstructured): Promise<Answer<Description>> {
  return answered({ tree: shown => toExtensionNode(object, shown), explanation: explainExtension(object) });
}
