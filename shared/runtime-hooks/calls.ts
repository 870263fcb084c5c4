// Calls runtime hooks from observe: all handlers of a hook, or one by name. Mirrors upstream's runtime client.
// https://main.cluster-api.sigs.k8s.io/tasks/experimental/runtime-sdk/implement-extensions

import {
  isEmptySelector,
  type JsonObject,
  type Labels,
  matchesLabels,
  type Reads,
  toApiVersion,
  toDisplayName,
  withoutUndefined,
} from '@capi-serverless/apimachinery';
import type { Pass } from '@capi-serverless/reconciler';
import { extensionConfigKind } from '../api/extension-config/kind.ts';
import { type ExtensionConfig, readExtensionConfig } from '../api/extension-config/reader.ts';
import { type HookAnswer, type HookFailure, hookAnswered, hookFailed } from './answer.ts';
import type { HooksPort } from './port.ts';
import { aggregateResponses } from './rules/aggregate.ts';
import { discovery } from './rules/catalog.ts';
import {
  type Hook,
  type HookResponse,
  type HookSettings,
  hooksApiVersion,
  hooksVersion,
  type RetryResponse,
  toGroupHook,
} from './rules/hook.ts';
import { toPemText } from './rules/pem.ts';
import {
  defaultTimeoutSeconds,
  type ExtensionRegistry,
  isFor,
  type Registration,
  toRegistry,
} from './rules/registry.ts';
import { checkResponse, ignoredResponse } from './rules/response.ts';
import type { DiscoveryResponse } from './rules/response-schemas.ts';
import { toHookUrl } from './rules/url.ts';

/** The object for which hooks are called. Handlers select objects by namespace. */
interface HookSubject {
  readonly namespace?: string;
  readonly name: string;
}

export interface CallToAllExtensions<Request> {
  readonly object: HookSubject;
  readonly request: Request;
}

interface CallToOneExtension<Request> extends CallToAllExtensions<Request> {
  /** Settings that replace those of the ExtensionConfig, key by key. */
  readonly settings?: HookSettings;
  /**
   * Allows a successful response of the last ten minutes if process, ExtensionConfig and settings are the same. Set
   * `key` if the response depends on the request.
   */
  readonly cache?: boolean | { readonly key: string };
}

/** Failures are returned as data. No method rejects. */
export interface HookCalls {
  /** Also fails if the handler's ExtensionConfig does not select the object's namespace. */
  callNamed<Request extends object, Response extends HookResponse>(
    hook: Hook<Request, Response>,
    handler: string,
    call: CallToOneExtension<Request>,
  ): Promise<HookAnswer<Response>>;
  /** Calls handlers sequentially in the order of their names and stops at the first failure. Succeeds without handlers. */
  callAll<Request extends object, Response extends HookResponse>(
    hook: Hook<Request, Response>,
    call: CallToAllExtensions<Request>,
  ): Promise<HookAnswer<RetryResponse>>;
  /** Returns the full names of the handlers that `callAll` would call, in order. */
  registered<Request extends object, Response extends HookResponse>(
    hook: Hook<Request, Response>,
    object: HookSubject,
  ): Promise<HookAnswer<readonly string[]>>;
  /** Calls the Discovery hook. Only `status` and the types are checked. Failures name the ExtensionConfig. */
  discover(config: ExtensionConfig): Promise<HookAnswer<DiscoveryResponse>>;
}

/** Created for one pass. ExtensionConfigs and Namespaces are read on first use, at most once. */
export function hooksOf(ask: Reads & HooksPort, pass: Pass): HookCalls {
  return new PassHooks(ask, pass);
}

interface Called<Request extends object, Response extends HookResponse> {
  readonly hook: Hook<Request, Response>;
  readonly call: CallToOneExtension<Request>;
}

class PassHooks implements HookCalls {
  readonly #ask: Reads & HooksPort;
  readonly #pass: Pass;
  readonly #labels = new Map<string, Promise<Labels | undefined>>();
  #registry: Promise<HookAnswer<ExtensionRegistry>> | undefined;

  constructor(ask: Reads & HooksPort, pass: Pass) {
    this.#ask = ask;
    this.#pass = pass;
  }

  async callNamed<Request extends object, Response extends HookResponse>(
    hook: Hook<Request, Response>,
    handler: string,
    call: CallToOneExtension<Request>,
  ): Promise<HookAnswer<Response>> {
    const registry = await this.#readRegistry();
    if (!registry.ok) {
      return prefixed(registry, toCallPrefix(handler));
    }
    const registration = registry.value.registrations.find(({ name }) => name === handler);
    if (registration === undefined) {
      const cause = `handler with name "${handler}" has not been registered`;
      const text = `failed to get extension handler "${handler}" from registry: ${cause}`;
      return hookFailed('handler', `${toCallPrefix(handler)}: ${text}`);
    }
    return this.#call(registration, { hook, call });
  }

  async callAll<Request extends object, Response extends HookResponse>(
    hook: Hook<Request, Response>,
    call: CallToAllExtensions<Request>,
  ): Promise<HookAnswer<RetryResponse>> {
    const prefix = `failed to call extension handlers for hook "${toGroupHook(hook)}"`;
    const registrations = await this.#registrationsOf(hook, call.object);
    if (!registrations.ok) {
      return prefixed(registrations, prefix);
    }
    const responses: Response[] = [];
    for (const registration of registrations.value) {
      const answer = await this.#call(registration, { hook, call });
      if (!answer.ok) {
        return prefixed(answer, prefix);
      }
      responses.push(answer.value);
    }
    return hookAnswered(aggregateResponses(responses));
  }

  async registered<Request extends object, Response extends HookResponse>(
    hook: Hook<Request, Response>,
    object: HookSubject,
  ): Promise<HookAnswer<readonly string[]>> {
    const registrations = await this.#registrationsOf(hook, object);
    return registrations.ok ? hookAnswered(registrations.value.map(({ name }) => name)) : registrations;
  }

  async discover({ metadata, spec }: ExtensionConfig): Promise<HookAnswer<DiscoveryResponse>> {
    const answer = await this.#exchange(discovery, {
      clientConfig: spec.clientConfig,
      timeoutSeconds: defaultTimeoutSeconds,
      fields: {},
    });
    return prefixed(answer, `failed to discover extension "${metadata.name}"`);
  }

  /** A blocking hook is undefined only if it is known that no ExtensionConfig implements it. */
  async #registrationsOf(
    hook: Hook<never, HookResponse>,
    object: HookSubject,
  ): Promise<HookAnswer<readonly Registration[]>> {
    const registry = await this.#readRegistry();
    if (!registry.ok) {
      return registry;
    }
    const undiscovered = hook.blocking ? registry.value.undiscovered : [];
    const candidates = [...registry.value.registrations.filter(each => isFor(each, hook)), ...undiscovered];
    const matching: Registration[] = [];
    for (const candidate of candidates) {
      const isMatch = await this.#selects(candidate.selector, object);
      if (isMatch === undefined) {
        const subject = toDisplayName(object);
        return hookFailed('namespace', `failed to read namespace "${object.namespace ?? ''}" of object ${subject}`);
      }
      if (isMatch && 'problem' in candidate) {
        const question = `whether ExtensionConfig "${candidate.extension}" serves ${hook.name} is not known`;
        return hookFailed('unknown', `${question}: ${candidate.problem}`);
      }
      if (isMatch && !('problem' in candidate)) {
        matching.push(candidate);
      }
    }
    return hookAnswered(matching);
  }

  async #call<Request extends object, Response extends HookResponse>(
    registration: Registration,
    { hook, call }: Called<Request, Response>,
  ): Promise<HookAnswer<Response>> {
    const prefix = toCallPrefix(registration.name);
    if (!isFor(registration, hook)) {
      return hookFailed('handler', `${prefix}: handler does not match GroupHook "${toGroupHook(hook)}"`);
    }
    const isMatch = await this.#selects(registration.selector, call.object);
    if (isMatch === undefined) {
      return hookFailed('namespace', prefix);
    }
    if (!isMatch) {
      const subject = toDisplayName(call.object);
      return hookFailed('namespace', `${prefix}: namespaceSelector did not match object ${subject}`);
    }
    const answer = await this.#recall(registration, { hook, call });
    if (answer.ok) {
      this.#pass.meter?.read(answer.value);
    }
    return prefixed(answer, prefix);
  }

  /** Uses a cached response if the caller allows it. Otherwise calls the extension. */
  async #recall<Request extends object, Response extends HookResponse>(
    registration: Registration,
    { hook, call }: Called<Request, Response>,
  ): Promise<HookAnswer<Response>> {
    const settings = { ...registration.settings, ...call.settings };
    const { memory } = this.#ask.hooks;
    const key = toCacheKey({ hook, call }, registration, settings);
    const remembered = key === undefined ? undefined : memory.get(key);
    if (remembered !== undefined) {
      return hookAnswered(remembered as Response); // True: the key contains the hook.
    }
    const answer = await this.#exchange(hook, { ...registration, fields: { settings, ...hook.encode(call.request) } });
    if (!answer.ok && answer.why === 'exchange' && registration.failurePolicy === 'Ignore') {
      this.#pass.log?.info('Ignoring the failure of an extension', { handler: registration.name, error: answer.error });
      return hookAnswered(ignoredResponse(hook));
    }
    if (answer.ok && key !== undefined) {
      memory.set(key, answer.value);
    }
    return answer;
  }

  async #exchange<Request extends object, Response extends HookResponse>(
    hook: Hook<Request, Response>,
    to: Pick<Registration, 'clientConfig' | 'timeoutSeconds'> & {
      readonly shortName?: string;
      readonly fields: JsonObject;
    },
  ): Promise<HookAnswer<Response>> {
    const { hooks } = this.#ask;
    const { clientConfig, timeoutSeconds, shortName, fields } = to;
    const route = { hook, timeoutSeconds, ...withoutUndefined({ handler: shortName }) };
    const url = toHookUrl(clientConfig, route, hooks);
    const caBundle = toPemText(clientConfig.caBundle);
    if (!url.ok) {
      return hookFailed('client', toClientProblem(url.error));
    }
    if (!caBundle.ok) {
      return hookFailed('client', toClientProblem(caBundle.error));
    }
    const body = { apiVersion: hooksApiVersion, kind: `${hook.name}Request`, ...fields };
    const exchanged = await hooks.exchange(
      { hook: hook.name, version: hooksVersion, url: url.value, caBundle: caBundle.value, body, timeoutSeconds },
      { signal: this.#pass.signal, deadline: this.#pass.deadline },
    );
    if (!exchanged.ok) {
      return hookFailed(exchanged.why, exchanged.error);
    }
    const checked = checkResponse(hook, exchanged.body);
    return checked.ok
      ? hookAnswered(checked.response)
      : hookFailed(checked.why === 'unreadable' ? 'exchange' : 'response', checked.error);
  }

  /** Returns `undefined` if the namespace could not be read. */
  async #selects(selector: Registration['selector'], { namespace = '' }: HookSubject): Promise<boolean | undefined> {
    if (selector === undefined || isEmptySelector(selector)) {
      return selector !== undefined;
    }
    const labels = await this.#labelsOf(namespace);
    return labels === undefined ? undefined : matchesLabels(selector, labels);
  }

  #labelsOf(namespace: string): Promise<Labels | undefined> {
    const known = this.#labels.get(namespace) ?? this.#readLabels(namespace);
    this.#labels.set(namespace, known);
    return known;
  }

  async #readLabels(name: string): Promise<Labels | undefined> {
    const answer = await this.#ask.metadata({ apiVersion: 'v1', kind: 'Namespace', name });
    if (!answer.ok) {
      // Upstream's message has no cause, so the cause is logged.
      this.#pass.log?.info('Reading a Namespace failed', { name, problem: answer.failure.message });
      return undefined;
    }
    return answer.value.labels ?? {};
  }

  #readRegistry(): Promise<HookAnswer<ExtensionRegistry>> {
    this.#registry ??= this.#listConfigs();
    return this.#registry;
  }

  async #listConfigs(): Promise<HookAnswer<ExtensionRegistry>> {
    const { kind } = extensionConfigKind;
    const answer = await this.#ask.list({ apiVersion: toApiVersion(extensionConfigKind), kind });
    return answer.ok
      ? hookAnswered(toRegistry(answer.value.map(readExtensionConfig)))
      : hookFailed('configs', `failed to list ExtensionConfigs: ${answer.failure.message}`);
  }
}

function toCallPrefix(handler: string): string {
  return `failed to call extension handler "${handler}"`;
}

function toClientProblem(problem: string): string {
  return `failed to get http client: ${problem}`;
}

function prefixed<T>(answer: HookAnswer<T>, prefix: string): HookAnswer<T> {
  return answer.ok ? answer : ({ ...answer, error: `${prefix}: ${answer.error}` } satisfies HookFailure);
}

/**
 * The key changes with everything that may change the response: the object's uid, its spec and the settings. If
 * undefined, the response is not cached.
 */
function toCacheKey<Request extends object, Response extends HookResponse>(
  { hook, call }: Called<Request, Response>,
  { name, extension }: Registration,
  settings: HookSettings,
): string | undefined {
  const { cache = false } = call;
  if (cache === false) {
    return undefined;
  }
  const sorted = Object.entries(settings).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const own = cache === true ? [] : [cache.key];
  return JSON.stringify([hook.name, name, extension.uid, extension.generation, sorted, ...own]);
}
