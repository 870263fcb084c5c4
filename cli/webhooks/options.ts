// The arguments of `capi-serverless webhooks`.
import { UsageError } from '../../local/usage-error.ts';
import { type OptionDefinitions, parseArguments } from '../arguments.ts';

export const webhooksHelp = `Usage: capi-serverless webhooks --url URL [options]

Prints the MutatingWebhookConfiguration and the ValidatingWebhookConfiguration of a deployed admission function. They
contain the token: every reader of them can call the function. They replace those of Cluster API's manager:
"kubectl replace -f -", or "kubectl create -f -" where there are none.

  --url URL                https address of the function with its token: the output AdmissionUrl, and the first line of the
                           secret in the output AdmissionTokenSecret
  --ca FILE                certificates in PEM that the API server trusts for this address (those of its system)
  --failure-policy POLICY  what happens to a write if the function does not answer: Fail or Ignore (Fail)
  --json                   prints a List in JSON
  --help                   this text

Exit codes: 0 printed, 2 could not start, 3 an error of this program.
`;

interface WebhooksOptions {
  /** Without a slash at its end. */
  readonly url: string;
  readonly caFile: string | undefined;
  readonly failurePolicy: 'Fail' | 'Ignore';
  readonly json: boolean;
}

export const webhooksOptions = {
  url: { type: 'string' },
  ca: { type: 'string', values: 'file' },
  'failure-policy': { type: 'string', default: 'Fail' },
  json: { type: 'boolean' },
  help: { type: 'boolean' },
} as const satisfies OptionDefinitions;

/** Parses the arguments after the command's name. Throws UsageError. Returns 'help' if help is requested. */
export function parseWebhooksOptions(args: readonly string[]): WebhooksOptions | 'help' {
  const { values } = parseArguments({ args: [...args], options: webhooksOptions });
  if (values.help === true) {
    return 'help';
  }
  const { url = '', ca: caFile, 'failure-policy': failurePolicy, json = false } = values;
  if (url === '') {
    throw new UsageError('Which function? Pass --url URL; --help lists the options');
  }
  const parsed = URL.parse(url);
  if (parsed?.protocol !== 'https:' || parsed.username !== '' || parsed.search !== '' || parsed.hash !== '') {
    throw new UsageError('--url is not an https address without user, query and fragment, as API servers require');
  }
  if (!/^\/[^/]+\/?$/.test(parsed.pathname)) {
    throw new UsageError('--url has no token: write it as https://HOST/TOKEN');
  }
  if (failurePolicy !== 'Fail' && failurePolicy !== 'Ignore') {
    throw new UsageError(`--failure-policy "${failurePolicy}" is neither Fail nor Ignore`);
  }
  return { url: url.replace(/\/$/, ''), caFile, failurePolicy, json };
}
