// The handlers that can be called: a pure projection of the ExtensionConfigs, made anew in each invocation.
import type {
  ClientConfig,
  ExtensionConfig,
  ExtensionHandler,
  NamespaceSelector,
} from '../../api/extension-config/reader.ts';
import { groupOf, versionOf } from '../../api/object.ts';
import { compareText } from '../../names/text-order.ts';
import { type HookSettings, hooksGroup } from './hook.ts';
import { selectorProblem } from './selector.ts';

/** Seconds a handler gets that names none. */
export const defaultTimeoutSeconds = 10;
/** Seconds that no handler may exceed. */
export const longestTimeoutSeconds = 30;

/** One handler that some ExtensionConfig serves. */
export interface Registration {
  /** `<handler>.<ExtensionConfig>`. */
  readonly name: string;
  /** The name by which the extension server knows it. */
  readonly shortName: string;
  readonly extension: { readonly name: string; readonly uid: string; readonly generation: number };
  readonly group: string;
  readonly version: string;
  readonly hook: string;
  /** `undefined` matches nothing. */
  readonly selector: NamespaceSelector | undefined;
  readonly clientConfig: ClientConfig;
  readonly timeoutSeconds: number;
  readonly failurePolicy: 'Fail' | 'Ignore';
  readonly settings: HookSettings;
}

/** An ExtensionConfig of which nobody knows what it serves. */
export interface Doubt {
  readonly extension: string;
  /** Where it may apply; `undefined`: nowhere. */
  readonly selector: NamespaceSelector | undefined;
  /** Why nothing is known, and what to do about it. */
  readonly problem: string;
}

export interface Registry {
  /** In the order of their full names. */
  readonly registrations: readonly Registration[];
  readonly doubts: readonly Doubt[];
}

const everything: NamespaceSelector = { matchLabels: {}, matchExpressions: [] };

/**
 * From spec and `status.handlers`, also while the last discovery failed: an extension that is down must not count as one
 * that is not there. ExtensionConfigs that are being deleted are left out.
 */
export function toRegistry(configs: readonly ExtensionConfig[]): Registry {
  const living = configs
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .toSorted((a, b) => compareText(a.metadata.name, b.metadata.name));
  const doubts = living.flatMap(config => toDoubt(config) ?? []);
  const doubtful = new Set(doubts.map(({ extension }) => extension));
  const registrations = living
    .filter(({ metadata }) => !doubtful.has(metadata.name))
    .flatMap(config => config.status.handlers.map(handler => toRegistration(config, handler)))
    .toSorted((a, b) => compareText(a.name, b.name));
  return { registrations, doubts };
}

function toDoubt({ metadata, spec, status }: ExtensionConfig): Doubt | undefined {
  const { name: extension } = metadata;
  const selector = spec.namespaceSelector;
  const badSelector = selector === undefined ? undefined : selectorProblem(selector);
  if (badSelector !== undefined) {
    return { extension, selector: everything, problem: `its namespaceSelector is not valid: ${badSelector}` };
  }
  const badHook = status.handlers.find(({ requestHook }) => requestHook.apiVersion.split('/').length > 2);
  if (badHook !== undefined) {
    const problem = `handler ${badHook.name} has the apiVersion "${badHook.requestHook.apiVersion}", which is none`;
    return { extension, selector, problem };
  }
  const isDiscovered =
    status.handlers.length > 0 || status.conditions.some(each => each.type === 'Discovered' && each.status === 'True');
  return isDiscovered
    ? undefined
    : {
        extension,
        selector,
        problem: 'it has never been discovered; mend it, see its condition Discovered, or delete it',
      };
}

function toRegistration({ metadata, spec }: ExtensionConfig, handler: ExtensionHandler): Registration {
  const { name, uid, generation } = metadata;
  const suffix = `.${name}`;
  return {
    name: handler.name,
    shortName: handler.name.endsWith(suffix) ? handler.name.slice(0, -suffix.length) : handler.name,
    extension: { name, uid, generation },
    group: groupOf(handler.requestHook.apiVersion),
    version: versionOf(handler.requestHook.apiVersion),
    hook: handler.requestHook.hook,
    selector: spec.namespaceSelector,
    clientConfig: spec.clientConfig,
    timeoutSeconds: toTimeoutSeconds(handler.timeoutSeconds),
    failurePolicy: handler.failurePolicy,
    settings: spec.settings,
  };
}

/** What a status says that nobody checked is brought back into the range that discovery accepts. */
function toTimeoutSeconds(given: number | undefined): number {
  return given === undefined || given <= 0 ? defaultTimeoutSeconds : Math.min(given, longestTimeoutSeconds);
}

/** The version is ignored, as all handlers of a hook are called whatever version they speak. */
export function isFor(registration: Registration, hook: { readonly name: string }): boolean {
  return registration.group === hooksGroup && registration.hook === hook.name;
}
