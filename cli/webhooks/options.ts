// The arguments of `capi-serverless webhooks`.
import { type PolicyUse, policyUses } from '../../infra/kubernetes/webhook-configurations.ts';
import { UsageError } from '../../local/usage-error.ts';
import { type OptionDefinitions, parseArguments } from '../arguments.ts';

export const webhooksHelp = `Usage: capi-serverless webhooks --url URL [options]
       capi-serverless webhooks take-over --kubeconfig FILE [--url URL] [--conversion-url URL] [options]
       capi-serverless webhooks give-back --kubeconfig FILE [options]

Without a word, prints the MutatingWebhookConfiguration and the ValidatingWebhookConfiguration of a deployed admission
function. They contain the token: every reader of them can call the function. Where there are none, "kubectl create -f -"
creates them.

take-over switches those of Cluster API's manager, and the conversion of its CRDs, to the functions. It asks the functions
first, and refuses if a kind or a version would be left without an answer. Each object is switched by one write, which
fails if the object was changed meanwhile; run the command again then, also with the URL of a new token. The former values
are kept in an annotation of the object.
give-back restores them. It refuses if no Pod is behind the Service of upstream's manager.

  --url URL                https address of the admission function with its token: the output AdmissionUrl, and the first
                           line of the secret in the output AdmissionTokenSecret
  --conversion-url URL     the same of the conversion function: ConversionUrl and ConversionTokenSecret
  --ca FILE                certificates in PEM that the API server trusts for these addresses (those of its system)
  --failure-policy POLICY  what happens to a write if the admission function does not answer: Fail or Ignore (Fail)
  --policies WHAT          what admission policies do (docs/admission-policies.md), so that their kinds get no webhooks for
                           it: none, checks, or defaults, which includes checks (none)
  --kubeconfig FILE        the management cluster
  --dry-run                only print what would be changed
  --json                   prints JSON
  --help                   this text

Exit codes: 0 done, 1 refused or not written, 2 could not start, 3 an error of this program.
`;

interface PrintOptions {
  readonly action: 'print';
  /** Without a slash at its end. */
  readonly url: string;
  readonly caFile: string | undefined;
  readonly failurePolicy: 'Fail' | 'Ignore';
  readonly policies: PolicyUse;
  readonly json: boolean;
}

interface SwitchOptions {
  readonly kubeconfig: string;
  readonly dryRun: boolean;
  readonly json: boolean;
}

export interface TakeOverOptions extends SwitchOptions {
  readonly action: 'take-over';
  /** At least one of both is set. Neither has a slash at its end. */
  readonly url: string | undefined;
  readonly conversionUrl: string | undefined;
  readonly caFile: string | undefined;
  readonly failurePolicy: 'Fail' | 'Ignore';
  readonly policies: PolicyUse;
}

export interface GiveBackOptions extends SwitchOptions {
  readonly action: 'give-back';
}

type WebhooksOptions = PrintOptions | TakeOverOptions | GiveBackOptions;

export const webhookActions = ['take-over', 'give-back'];

export const webhooksOptions = {
  url: { type: 'string' },
  'conversion-url': { type: 'string' },
  ca: { type: 'string', values: 'file' },
  'failure-policy': { type: 'string' },
  policies: { type: 'string' },
  kubeconfig: { type: 'string', values: 'file' },
  'dry-run': { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean' },
} as const satisfies OptionDefinitions;

const parse = (args: readonly string[]) =>
  parseArguments({ args: [...args], allowPositionals: true, options: webhooksOptions });
type Values = ReturnType<typeof parse>['values'];

/** The options of each action besides --json. */
const optionsOf: Readonly<Record<string, readonly (keyof Values)[]>> = {
  print: ['url', 'ca', 'failure-policy', 'policies'],
  'take-over': ['url', 'conversion-url', 'ca', 'failure-policy', 'policies', 'kubeconfig', 'dry-run'],
  'give-back': ['kubeconfig', 'dry-run'],
};

/** Parses the arguments after the command's name. Throws UsageError. Returns 'help' if help is requested. */
export function parseWebhooksOptions(args: readonly string[]): WebhooksOptions | 'help' {
  const { values, positionals } = parse(args);
  if (values.help === true) {
    return 'help';
  }
  const [word, ...more] = positionals;
  if (more.length > 0 || (word !== undefined && !webhookActions.includes(word))) {
    throw new UsageError(`"${more[0] ?? word}" is neither take-over nor give-back; --help lists the options`);
  }
  const action = word ?? 'print';
  const known = [...(optionsOf[action] ?? []), 'json'];
  const foreign = Object.keys(values).find(option => !known.includes(option));
  if (foreign !== undefined) {
    throw new UsageError(`--${foreign} is no option of ${word === undefined ? 'printing' : word}; --help lists them`);
  }
  return action === 'print' ? toPrintOptions(values) : toSwitchOptions(action, values);
}

function toPrintOptions(values: Values): PrintOptions {
  const url = parseFunctionUrl('url', values.url);
  if (url === undefined) {
    throw new UsageError('Which function? Pass --url URL; --help lists the options');
  }
  const { ca: caFile, json = false } = values;
  return { action: 'print', url, caFile, failurePolicy: parsePolicy(values), policies: parseUse(values), json };
}

function toSwitchOptions(action: string, values: Values): TakeOverOptions | GiveBackOptions {
  const { kubeconfig = '', ca: caFile, 'dry-run': dryRun = false, json = false } = values;
  if (kubeconfig === '') {
    throw new UsageError('Which management cluster? Pass --kubeconfig FILE; --help lists the options');
  }
  if (action === 'give-back') {
    return { action, kubeconfig, dryRun, json };
  }
  const url = parseFunctionUrl('url', values.url);
  const conversionUrl = parseFunctionUrl('conversion-url', values['conversion-url']);
  if (url === undefined && conversionUrl === undefined) {
    throw new UsageError('Which functions? Pass --url URL, --conversion-url URL or both; --help lists the options');
  }
  const failurePolicy = parsePolicy(values);
  const policies = parseUse(values);
  return { action: 'take-over', kubeconfig, url, conversionUrl, caFile, failurePolicy, policies, dryRun, json };
}

/**
 * Parses the address of a function behind a webhook. Returns it without a slash at its end, or `undefined` without a value.
 * Throws UsageError.
 */
export function parseFunctionUrl(option: string, url = ''): string | undefined {
  if (url === '') {
    return undefined;
  }
  const parsed = URL.parse(url);
  if (parsed?.protocol !== 'https:' || parsed.username !== '' || parsed.search !== '' || parsed.hash !== '') {
    throw new UsageError(
      `--${option} is not an https address without user, query and fragment, as API servers require`,
    );
  }
  if (!/^\/[^/]+\/?$/.test(parsed.pathname)) {
    throw new UsageError(`--${option} has no token: write it as https://HOST/TOKEN`);
  }
  return url.replace(/\/$/, '');
}

function parsePolicy({ 'failure-policy': policy = 'Fail' }: Values): 'Fail' | 'Ignore' {
  if (policy !== 'Fail' && policy !== 'Ignore') {
    throw new UsageError(`--failure-policy "${policy}" is neither Fail nor Ignore`);
  }
  return policy;
}

function parseUse({ policies = 'none' }: Values): PolicyUse {
  const use = policyUses.find(known => known === policies);
  if (use === undefined) {
    throw new UsageError(`--policies "${policies}" is none of ${policyUses.join(', ')}`);
  }
  return use;
}
