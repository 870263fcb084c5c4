// `capi-serverless webhooks`: prints the webhook configurations of deployed functions, or switches those of a cluster.
import { toWebhookConfigurations } from '../../infra/kubernetes/webhook-configurations.ts';
import { connect } from '../../local/connect.ts';
import { exitCodes } from '../../local/exit-codes.ts';
import { defineCommand, type Print } from '../command.ts';
import { toManifestText } from '../manifest-text.ts';
import { createPost } from './ask-functions.ts';
import { readCertificates } from './certificates.ts';
import {
  type GiveBackOptions,
  parseWebhooksOptions,
  type TakeOverOptions,
  webhookActions,
  webhooksHelp,
  webhooksOptions,
} from './options.ts';
import { decideGiveBack, decideTakeOver, type SwitchOutcome, writeSwitches } from './take-over.ts';

export const webhooksCommand = defineCommand({
  options: webhooksOptions,
  operands: webhookActions,
  help: () => webhooksHelp,
  parse: parseWebhooksOptions,
  async execute(options, print) {
    if (options.action !== 'print') {
      return switchWebhooks(options, print);
    }
    const { url, caFile, failurePolicy, policies, json } = options;
    const certificateAuthority = readCertificates(caFile);
    const items = toWebhookConfigurations({ url, failurePolicy, policies, certificateAuthority });
    print(toManifestText(items, json));
    return exitCodes.done;
  },
});

async function switchWebhooks(options: TakeOverOptions | GiveBackOptions, print: Print): Promise<number> {
  const { kubernetes, close } = await connect(options.kubeconfig);
  try {
    const decided =
      options.action === 'take-over' ? await takeOver(kubernetes, options) : await decideGiveBack(kubernetes);
    const objects = await writeSwitches(kubernetes, decided, options.dryRun);
    const { problems } = decided;
    print(options.json ? JSON.stringify({ problems, objects }) : [...problems, ...objects.map(toText)].join('\n'));
    const isDone =
      problems.length === 0 && objects.every(({ outcome }) => outcome !== 'refused' && outcome !== 'not written');
    return isDone ? exitCodes.done : exitCodes.notReady;
  } finally {
    await close();
  }
}

function takeOver(client: Parameters<typeof decideTakeOver>[0], { caFile, ...options }: TakeOverOptions) {
  const certificateAuthority = readCertificates(caFile);
  return decideTakeOver(client, { ...options, certificateAuthority }, createPost(certificateAuthority));
}

function toText({ kind, name, outcome, why, changes = [] }: SwitchOutcome): string {
  const reason = why === undefined ? '' : `: ${why}`;
  return [`${kind} ${name}: ${outcome}${reason}`, ...changes.map(line => `  ${line}`)].join('\n');
}
