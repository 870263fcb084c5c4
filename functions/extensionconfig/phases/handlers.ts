// The handlers that an extension server reports, validated and with defaults, in the form of the status.
import { type Checked, dns1123LabelProblems, invalid, toAggregateText, valid } from '@capi-serverless/apimachinery';
import type { ExtensionHandler } from '../../../shared/api/extension-config/reader.ts';
import { isInCatalog } from '../../../shared/runtime-hooks/rules/catalog.ts';
import { defaultTimeoutSeconds, longestTimeoutSeconds } from '../../../shared/runtime-hooks/rules/registry.ts';
import type { DiscoveredHandler } from '../../../shared/runtime-hooks/rules/response-schemas.ts';

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
