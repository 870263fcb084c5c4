// The plan of one pass over an ExtensionConfig: the caBundle, then the discovery.
import {
  type Answer,
  type Checked,
  dns1123LabelProblems,
  type FailureReason,
  invalid,
  type ObjectRef,
  toAggregateText,
  toRef,
  type Unstructured,
  valid,
} from '@capi-serverless/apimachinery';
import {
  type ConditionDraft,
  pausedCondition,
  type ReportedCondition,
  type V1Beta1Draft,
  v1Beta1False,
  v1Beta1True,
} from '@capi-serverless/cluster-api/conditions';
import {
  concluded,
  type EarlyEnd,
  isDeleting,
  type PassChange,
  type PassProgress,
  type Phase,
  pausedGate,
  type Stop,
} from '@capi-serverless/reconciler';
import { injectCaAnnotation } from '../../shared/api/extension-config/kind.ts';
import type { ExtensionConfig, ExtensionHandler } from '../../shared/api/extension-config/reader.ts';
import { secretData } from '../../shared/api/secret.ts';
import { isInCatalog } from '../../shared/runtime-hooks/rules/catalog.ts';
import { defaultTimeoutSeconds, longestTimeoutSeconds } from '../../shared/runtime-hooks/rules/registry.ts';
import type { DiscoveredHandler } from '../../shared/runtime-hooks/rules/response-schemas.ts';

/** The result of observe for one ExtensionConfig: the input of decide and report. */
export type ObservedExtensionConfig =
  /** The extension server was not called. `isReported`: a retry cannot succeed, so a condition reports the error. */
  | { readonly step: 'failed'; readonly config: ExtensionConfig; readonly error: string; readonly isReported: boolean }
  /** The caBundle in the Secret differs from the spec. The value is base64, and "" for none. */
  | { readonly step: 'inject'; readonly config: ExtensionConfig; readonly caBundle: string }
  /** The extension server was called for its handlers. */
  | {
      readonly step: 'discovery';
      readonly config: ExtensionConfig;
      readonly discovered: Checked<readonly ExtensionHandler[]>;
    };

/** The settings for all ExtensionConfigs of this deployment. */
export interface ExtensionConfigSettings {
  /** If false, ExtensionConfigs are not reconciled and their handlers are not called. */
  readonly runtimeSdk: boolean;
}

export const injectId = 'caBundle';

/** The resync period of upstream's manager. The timer also replaces a watch on Secrets. */
export const recheckMs = 600_000;

interface DiscoveryStatus {
  /** If absent, no status is written. */
  readonly conditions?: DiscoveredConditions;
  /** If absent, the handlers stay in the status, because callers still need them. */
  readonly handlers?: readonly ExtensionHandler[];
}

interface ConfigChange extends PassChange, DiscoveryStatus {}

export interface ConfigProgress extends PassProgress, DiscoveryStatus {}

export interface ConfigPlan extends Phase<ConfigChange> {
  readonly config: ExtensionConfig;
}

export function plan(seen: ObservedExtensionConfig): ConfigPlan {
  return { config: seen.config, ...phaseOf(seen) };
}

function phaseOf(seen: ObservedExtensionConfig): Phase<ConfigChange> {
  switch (seen.step) {
    case 'failed':
      return concluded({
        errors: [seen.error],
        ...(seen.isReported ? { conditions: notDiscovered(seen.error) } : {}),
      });
    case 'inject':
      return injectionPhase(seen.config, seen.caBundle);
    case 'discovery':
      return concluded(
        seen.discovered.ok
          ? { conditions: discovered(), handlers: seen.discovered.value, requeues: [recheckMs] }
          : {
              conditions: notDiscovered(`Error in discovery: ${seen.discovered.error}`),
              errors: [seen.discovered.error],
            },
      );
  }
}

/**
 * The only write besides the status. If a pass ends before it, the next pass writes the caBundle. If it ends after it,
 * the next pass calls the extension server.
 */
function injectionPhase({ object, metadata }: ExtensionConfig, caBundle: string): Phase<ConfigChange> {
  const problem = `failed to patch ExtensionConfig ${metadata.name} with the caBundle of its Secret`;
  return {
    actions: [
      {
        id: injectId,
        onError: 'stop',
        do: 'patch',
        ref: toRef(object),
        body: { spec: { clientConfig: { caBundle: caBundle === '' ? null : caBundle } } },
        resourceVersion: metadata.resourceVersion,
      },
    ],
    steps: [{ change: { again: true }, needs: [{ id: injectId, problem }] }],
  };
}

/** The condition that reports whether the handlers of the extension server are known. */
const discoveredType = 'Discovered';

export interface DiscoveredConditions {
  readonly condition: ConditionDraft;
  readonly v1beta1: V1Beta1Draft;
}

export function discovered(): DiscoveredConditions {
  return {
    condition: { type: discoveredType, status: 'True', reason: 'Discovered' },
    v1beta1: v1Beta1True(discoveredType),
  };
}

/** `message` is the error in both condition families. */
export function notDiscovered(message: string): DiscoveredConditions {
  return {
    condition: { type: discoveredType, status: 'False', reason: 'NotDiscovered', message },
    v1beta1: v1Beta1False(discoveredType, { reason: 'DiscoveryFailed', severity: 'Error', message }),
  };
}

export function pausedOf({ metadata }: ExtensionConfig): ReportedCondition {
  return pausedCondition({ kind: 'ExtensionConfig', annotations: metadata.annotations });
}

/**
 * The gates before other objects are read: deletion first, then pause. There is no finalizer, so a pass over a deleted
 * object does nothing, even while it is paused.
 */
export function gateOf(config: ExtensionConfig): EarlyEnd | Stop | undefined {
  return isDeleting(config) ? { stop: 'deleting' } : pausedGate(config, pausedOf(config));
}

const caKey = 'ca.crt';

/**
 * Failures that only a user can repair: the Secret is missing or forbidden, or its name is invalid. Other failures are
 * temporary.
 */
const lasting: readonly FailureReason[] = ['NotFound', 'Forbidden', 'BadRequest', 'Invalid'];

type Injection =
  /** There is no annotation, so the user sets the caBundle. */
  | { readonly state: 'none' }
  | { readonly state: 'malformed'; readonly error: string }
  | { readonly state: 'secret'; readonly ref: ObjectRef };

type CaBundle =
  /** The value is base64. "" clears the caBundle. */
  | { readonly state: 'found'; readonly caBundle: string }
  | { readonly state: 'failed'; readonly error: string; readonly isLasting: boolean };

/**
 * Returns the Secret that the annotation names. The annotation has the format of cert-manager, and is split at the first
 * slash. https://main.cluster-api.sigs.k8s.io/tasks/experimental/runtime-sdk/deploy-runtime-extension
 */
export function injectionOf({ metadata }: ExtensionConfig): Injection {
  const value = metadata.annotations[injectCaAnnotation];
  if (value === undefined) {
    return { state: 'none' };
  }
  const [, namespace, name] = /^([^/]+)\/(.+)$/s.exec(value) ?? [];
  return namespace === undefined || name === undefined
    ? { state: 'malformed', error: inBundle(`secret name "${value}" must be in the form <namespace>/<name>`) }
    : { state: 'secret', ref: { apiVersion: 'v1', kind: 'Secret', namespace, name } };
}

/** Returns the caBundle in the Secret. Errors have upstream's wording. */
export function readCaBundle({ namespace, name }: ObjectRef, secret: Answer<Unstructured>): CaBundle {
  const of = `${namespace}/${name}`;
  if (!secret.ok) {
    const { message, reason } = secret.failure;
    const error = inBundle(`failed to get secret "${of}": ${message}`);
    return { state: 'failed', error, isLasting: lasting.includes(reason) };
  }
  const caBundle = secretData(secret.value, caKey);
  return caBundle === undefined
    ? { state: 'failed', error: inBundle(`secret ${of} does not contain a "${caKey}" entry`), isLasting: true }
    : { state: 'found', caBundle };
}

function inBundle(problem: string): string {
  return `failed to reconcile caBundle: ${problem}`;
}

/** The maximum number of handlers in the schema of ExtensionConfig. */
const mostHandlers = 512;

/**
 * Returns the handlers with their full names, in the order of the answer. An error contains the extension and all
 * problems, in upstream's words. A timeout of 0 is stored as absent, which means the default.
 */
export function toHandlers(
  extension: string,
  handlers: readonly DiscoveredHandler[],
): Checked<readonly ExtensionHandler[]> {
  const errors = [
    ...countErrors(handlers),
    ...handlers.flatMap((handler, index) => errorsOf(handler, handlers.slice(0, index))),
  ];
  return errors.length > 0
    ? invalid(
        `failed to discover extension "${extension}": failed to validate discovery response: ${toAggregateText(errors)}`,
      )
    : valid(handlers.map(handler => toHandler(extension, handler)));
}

function toHandler(extension: string, handler: DiscoveredHandler): ExtensionHandler {
  const { name, requestHook, timeoutSeconds = defaultTimeoutSeconds, failurePolicy } = handler;
  return {
    name: `${name}.${extension}`,
    requestHook,
    ...(timeoutSeconds === 0 ? {} : { timeoutSeconds }),
    failurePolicy: failurePolicy === 'Ignore' ? 'Ignore' : 'Fail',
  };
}

/** Upstream does not check this. Without the check, the API server rejects the whole status. */
function countErrors({ length }: readonly DiscoveredHandler[]): readonly string[] {
  return length > mostHandlers ? [`${length} handlers are more than the ${mostHandlers} that can be kept`] : [];
}

function errorsOf(handler: DiscoveredHandler, before: readonly DiscoveredHandler[]): readonly string[] {
  const { name, timeoutSeconds = defaultTimeoutSeconds, failurePolicy = 'Fail', requestHook } = handler;
  const problems = dns1123LabelProblems(name);
  return [
    ...(before.some(other => other.name === name) ? [`duplicate name for handler ${name} found`] : []),
    ...(problems.length > 0 ? [`handler name ${name} is not valid: [${problems.join(' ')}]`] : []),
    ...(timeoutSeconds < 0 || timeoutSeconds > longestTimeoutSeconds
      ? [`handler ${name} timeoutSeconds ${timeoutSeconds} must be between 0 and ${longestTimeoutSeconds}`]
      : []),
    ...(['Ignore', 'Fail'].includes(failurePolicy)
      ? []
      : [`handler ${name} failurePolicy ${failurePolicy} must equal "Ignore" or "Fail"`]),
    ...hookErrors(name, requestHook),
  ];
}

function hookErrors(name: string, requestHook: DiscoveredHandler['requestHook']): readonly string[] {
  const { apiVersion, hook } = requestHook;
  if (apiVersion.split('/').length > 2) {
    const problem = `unexpected GroupVersion string: ${apiVersion}`;
    return [`handler ${name} requestHook APIVersion ${apiVersion} is not valid: ${problem}`];
  }
  return isInCatalog(requestHook)
    ? []
    : [`handler ${name} requestHook ${apiVersion}/${hook} is not in the Runtime SDK catalog`];
}
