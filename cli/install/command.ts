// `capi-serverless install`: installs definitions, roles and the entry of the inventory in a new management cluster.
import { type Intent, toDisplayName } from '@capi-serverless/apimachinery';
import { systemClock } from '@capi-serverless/apimachinery/system-clock';
import { installedFolders, rolesFolder } from '../../infra/kubernetes/installed-folders.ts';
import { connect } from '../../local/connect.ts';
import { type InstallableDefinition, installationTimeoutMs, installCrds, toProblemLine } from '../../local/crds.ts';
import { exitCodes } from '../../local/exit-codes.ts';
import { parseConfig } from '../../shared/config/env.ts';
import { defineCommand, type Print } from '../command.ts';
import { toManifestText } from '../manifest-text.ts';
import { askConversion, createPost, readReferencedKinds } from '../webhooks/ask-functions.ts';
import { readCertificates } from '../webhooks/certificates.ts';
import { toClientConfig } from '../webhooks/switch-conversion.ts';
import type { WebhookClient } from '../webhooks/switches.ts';
import { coreDefinitionOf, withVersions } from './decide-definition.ts';
import { decideInstallation, type InstalledObject, waveOf, writeInstallation } from './install.ts';
import { type InstallCommandOptions, installHelp, installOptions, parseInstallOptions } from './options.ts';

/** What a user does after an installation. */
const next = [
  'Next: "cdk deploy" deploys the functions, see docs/deployment.md.',
  'Providers: "clusterctl init --infrastructure NAME --bootstrap NAME --control-plane NAME". It adds none that is not named.',
];

export const installCommand = defineCommand({
  options: installOptions,
  help: () => installHelp,
  parse: parseInstallOptions,
  async execute(options, print) {
    // Making all manifests takes longer than the rest of the start, so help and completion do without.
    const { manifestsOf } = await import('../../infra/kubernetes/installation.ts');
    const manifests = manifestsOf(foldersOf(options));
    const address = toAddress(options);
    if (options.kubeconfig === undefined) {
      const items = manifests
        .map(manifest => withAddress(manifest, address))
        .toSorted((left, right) => waveOf(left) - waveOf(right));
      print(toManifestText(items, options.json));
      return exitCodes.done;
    }
    return install(options.kubeconfig, { ...options, manifests, address }, print);
  },
});

function foldersOf({ folders, roles, conversionUrl }: InstallCommandOptions): readonly string[] {
  const webhook = conversionUrl === undefined || !roles ? [] : ['conversion'];
  return [...installedFolders.filter(folder => roles || folder !== rolesFolder), ...folders, ...webhook];
}

function toAddress({ conversionUrl: url, caFile }: InstallCommandOptions): WebhookClient | undefined {
  return url === undefined ? undefined : toClientConfig({ url, certificateAuthority: readCertificates(caFile) });
}

function withAddress(manifest: Intent, address: WebhookClient | undefined): Intent {
  const core = coreDefinitionOf(manifest);
  return core === undefined ? manifest : withVersions(core, address);
}

interface WantedInstallation extends InstallCommandOptions {
  readonly manifests: readonly Intent[];
  readonly address: WebhookClient | undefined;
}

async function install(kubeconfig: string, wanted: WantedInstallation, print: Print): Promise<number> {
  const { manifests, address, dryRun, json } = wanted;
  const { kubernetes, close } = await connect(kubeconfig);
  try {
    const asked = await askFunction(kubernetes, wanted);
    const decided = await decideInstallation(kubernetes, manifests, address);
    const { objects, problems } = await writeInstallation(
      kubernetes,
      { ...decided, problems: [...asked, ...decided.problems] },
      { dryRun, untilServed: definitions => untilServed(kubernetes, definitions) },
    );
    const isDone = problems.length === 0 && objects.every(({ outcome }) => outcome !== 'refused');
    const after = isDone && !dryRun ? next : [];
    print(json ? JSON.stringify({ problems, objects, next: after }) : toText(objects, [...problems, ...after]));
    return isDone ? exitCodes.done : exitCodes.notReady;
  } finally {
    await close();
  }
}

type Connected = Awaited<ReturnType<typeof connect>>['kubernetes'];

async function askFunction(kubernetes: Connected, wanted: WantedInstallation): Promise<readonly string[]> {
  if (wanted.conversionUrl === undefined) {
    return [];
  }
  const post = createPost(readCertificates(wanted.caFile));
  const problem = await askConversion(post, wanted.conversionUrl, await readReferencedKinds(kubernetes));
  return problem === undefined ? [] : [problem];
}

async function untilServed(kubernetes: Connected, definitions: readonly Intent[]): Promise<readonly string[]> {
  // True: the API server has accepted these definitions.
  const { problems } = await installCrds(kubernetes, definitions as readonly InstallableDefinition[], {
    clock: systemClock,
    timeoutMs: installationTimeoutMs * parseConfig(process.env).timeLimitFactor,
  });
  return problems.map(toProblemLine);
}

function toText(objects: readonly InstalledObject[], further: readonly string[]): string {
  const lines = objects.map(object => {
    const reason = object.why === undefined ? '' : `: ${object.why}`;
    return `${object.kind} ${toDisplayName(object)}: ${object.outcome}${reason}`;
  });
  const counted = Map.groupBy(objects, ({ outcome }) => outcome);
  const sum = [...counted].map(([outcome, { length }]) => `${length} ${outcome}`).join(', ');
  return [...lines, ...(sum === '' ? [] : [sum]), ...further].join('\n');
}
