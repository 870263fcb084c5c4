// One local run, from the first request to the summary.
import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Kubernetes } from '@capi-serverless/apimachinery';
import { systemClock } from '@capi-serverless/apimachinery/system-clock';
import { ofGates } from '@capi-serverless/cluster-api/feature-gates';
import { type Declaration, toError } from '@capi-serverless/reconciler';
import { declarations as coreDeclarations } from '../functions/declarations.ts';
import { projectRoot } from '../infra/bundles/bundle.ts';
import { auditFunction, type SourcePlan, windowedFunction } from '../infra/function-plans.ts';
import { coreCrds, usedCrds } from '../shared/api/crds.ts';
import { parseConfig } from '../shared/config/env.ts';
import { type LogFact, logs } from '../shared/diagnostics/channels.ts';
import { createJsonLog } from '../shared/telemetry/json-log.ts';
import { toConsumers, toQueueSpecs } from '../shared/workqueue/queue-specs.ts';
import { missingRights } from './access.ts';
import { createAdmission, localAdmissionGates } from './admission.ts';
import { type LocalAudit, openAudit, toAuditAdvice, toEmbeddedAudit } from './audit/open.ts';
import { type ClaimedFolder, claimNamedFolder, claimRunFolder } from './claimed-folder.ts';
import { type ApiServerConnection, connect, localClient } from './connect.ts';
import { listen, startCounters } from './counters.ts';
import { type CrdReport, checkCrds, installationTimeoutMs, installCrds, toProblemLine } from './crds.ts';
import { drive } from './drive.ts';
import { startEmbedded } from './embedded.ts';
import { toLocalGates } from './environment.ts';
import { startExtension } from './extension.ts';
import { describeOutdated } from './external-provider/external-definitions.ts';
import {
  bundleWithExternal,
  toExternalFunctions,
  withExternalProviders,
} from './external-provider/external-functions.ts';
import { type ExternalProviders, externalDeclarations, loadExternalProviders } from './external-provider/load.ts';
import { toLocalFunctions, toLocalSource } from './local-functions.ts';
import { type LocalWorld, startWorld } from './local-system.ts';
import { inStoredVersion, ManifestError, parseManifests, type StoredObjects } from './manifests.ts';
import { type OpenPage, type RunPage, showPage } from './page-of-run.ts';
import { reconciledCrds, simulatedCrds } from './provider/crds/index.ts';
import { localDeclarations } from './provider/declarations.ts';
import { publishTarget } from './queue-target.ts';
import { runFolder } from './run-folder.ts';
import type { StartOptions } from './run-options.ts';
import type { SourceFunction } from './start-sources.ts';
import { UsageError } from './usage-error.ts';
import { nextSteps } from './view/next-steps.ts';
import { createReporter, type Reporter } from './view/reporter.ts';
import { createSteps, type Steps, type StepsOptions, silentSteps } from './view/steps.ts';
import { terminalOf } from './view/terminal.ts';

const resyncPeriodSeconds = 600;
const logLevel = 'info';

/** Resolves with the exit code. Throws UsageError if the run cannot start. */
export async function run(options: StartOptions, interrupted: AbortSignal, openPage: OpenPage): Promise<number> {
  const steps = options.json ? silentSteps : createSteps(standardError());
  try {
    const claimed = await claimFolder(options.folder);
    try {
      return await runIn({ claimed, steps, openPage }, options, interrupted);
    } finally {
      claimed.release();
    }
  } finally {
    steps.end();
  }
}

function claimFolder(named: string | undefined): Promise<ClaimedFolder> {
  return named === undefined ? claimRunFolder(runFolder) : claimNamedFolder(named);
}

async function runIn(
  { steps, ...around }: Omit<Around, 'external'>,
  options: StartOptions,
  interrupted: AbortSignal,
): Promise<number> {
  if (options.providers.length > 0) {
    steps.begin('Loading providers');
  }
  const external = await loadExternalProviders(options.providers, [...coreDeclarations, ...localDeclarations]);
  try {
    return await runWith({ external, steps, ...around }, options, interrupted);
  } finally {
    await external.close();
  }
}

/** For a run whose files are not where other commands look for them. */
function notesAbout({ folder }: ClaimedFolder, named: string | undefined): readonly string[] {
  if (folder === runFolder) {
    return [];
  }
  const reason = named === undefined ? [`Another local run uses ${runFolder}`] : [];
  const place = `The kubeconfig and the queues of this run are in ${folder}; for commands about it, set CAPI_LOCAL_FOLDER=${folder}`;
  return [...reason, place];
}

interface Around {
  readonly external: ExternalProviders;
  readonly steps: Steps;
  readonly claimed: ClaimedFolder;
  readonly openPage: OpenPage;
}

function standardError(): StepsOptions {
  const write = (text: string): boolean => process.stderr.write(text);
  return { write, now: systemClock.now, terminal: terminalOf(process.stderr, process.env) };
}

function standardOutput({ json }: StartOptions): Reporter {
  const terminal = terminalOf(process.stdout, process.env);
  return createReporter({
    json,
    write: text => process.stdout.write(text),
    now: systemClock.now,
    ...(terminal === undefined ? {} : { live: { terminal, clock: systemClock } }),
  });
}

async function runWith(
  { external, steps, claimed, openPage }: Around,
  options: StartOptions,
  interrupted: AbortSignal,
): Promise<number> {
  const startedAt = systemClock.now();
  const given = await readManifests(options.examples ? await exampleFiles(external) : options.apply);
  const audit = await openAuditOf(options);
  steps.begin(options.kubeconfig === undefined ? 'Starting the API server' : 'Connecting to the API server');
  const reporter = standardOutput(options);
  const server = await openServer(options, { audit, external, claimed, reporter });
  const extension = options.withExtension ? await startExtension() : undefined;
  const manifests = [...(options.examples && server.restored ? [] : given.objects), ...(extension?.manifests ?? [])];
  const { connection, kubeconfigPath } = server;
  const counters = startCounters({ except: localClient });
  const summarize = (): void =>
    reporter.summary({ seconds: (systemClock.now() - startedAt) / 1000, ...counters.summary() });
  const stopLogs = listen<LogFact>(logs, fact => reporter.log(fact.line));
  for (const note of [...given.notes, ...notesAbout(claimed, options.folder)]) {
    reporter.note(note);
  }
  let takeBack = (): void => undefined;
  let page: RunPage | undefined;
  try {
    const world = await start({ options, connection, audit, reporter, external, steps });
    steps.end();
    page = await showPage(options, { connection, queueUrls: world.queueUrls, openPage, reporter });
    if (audit !== undefined && options.kubeconfig !== undefined) {
      reporter.advice(toAuditAdvice(audit));
    }
    takeBack = publishTarget(world.queueUrls, claimed.queues);
    const code = await drive({
      manifests,
      readyWithinSeconds: options.exitWhenReady ? options.timeoutSeconds : undefined,
      watchFilter: options.watchFilter,
      kubernetes: connection.kubernetes,
      ...{ reporter, clock: systemClock, interrupted },
      onReady: clusters => {
        if (!options.exitWhenReady) {
          summarize();
          reporter.advice(nextSteps({ kubeconfigPath, clusters }));
        }
      },
    });
    await world.stop();
    reporter.close();
    summarize();
    return code;
  } finally {
    takeBack();
    reporter.close();
    stopLogs();
    counters.stop();
    await page?.stop();
    await audit?.functionUrl.stop();
    await extension?.stop();
    await server.close();
  }
}

async function openAuditOf({ sources, auditFolder: folder, auditPort: port }: StartOptions) {
  return sources.includes('audit') ? await openAudit({ folder, port }) : undefined;
}

interface Server {
  readonly connection: ApiServerConnection;
  /** The kubeconfig for users. It is not a private copy like that of the connection. */
  readonly kubeconfigPath: string;
  /** Objects of an earlier run were loaded, so the examples already exist. */
  readonly restored: boolean;
  close(): Promise<void>;
}

interface Serving extends Omit<Around, 'steps' | 'openPage'> {
  readonly audit: LocalAudit | undefined;
  readonly reporter: Reporter;
}

/** Returns the API server that the user named, or an embedded one. */
async function openServer(
  { kubeconfig, port, data, admission }: StartOptions,
  { audit, external, claimed, reporter }: Serving,
): Promise<Server> {
  if (kubeconfig !== undefined) {
    const connection = await connect(kubeconfig);
    return { connection, kubeconfigPath: path.resolve(kubeconfig), restored: false, close: connection.close };
  }
  const embedded = await startEmbedded({
    port,
    dataFile: data,
    kubeconfigPath: claimed.kubeconfig,
    onUnsaved: reporter.note,
    admission: admission ? createAdmission(localAdmissionGates) : undefined,
    audit:
      audit && toEmbeddedAudit(audit, [...coreDeclarations, ...localDeclarations, ...externalDeclarations(external)]),
  });
  try {
    const connection = await connect(embedded.kubeconfigPath);
    return {
      connection,
      kubeconfigPath: claimed.kubeconfig,
      restored: embedded.restored,
      close: async () => {
        await connection.close();
        await embedded.stop();
      },
    };
  } catch (thrown) {
    await embedded.stop();
    throw thrown;
  }
}

/** Returns the examples of the named providers, or else the examples of this project. A Cluster follows its class. */
async function exampleFiles({ providers }: ExternalProviders): Promise<readonly string[]> {
  if (providers.length > 0) {
    return providers.flatMap(({ examples }) => examples);
  }
  const folders = ['examples', 'examples/topology'].map(folder => path.join(projectRoot, folder));
  const files = await Promise.all(
    folders.map(async folder => (await readdir(folder)).sort().map(file => path.join(folder, file))),
  );
  return files
    .flat()
    .filter(file => file.endsWith('.yaml'))
    .map(file => path.relative(process.cwd(), file));
}

interface Starting {
  readonly options: StartOptions;
  readonly connection: ApiServerConnection;
  readonly audit: LocalAudit | undefined;
  readonly reporter: Reporter;
  readonly external: ExternalProviders;
  readonly steps: Steps;
}

async function start({ options, connection, audit, reporter, external, steps }: Starting): Promise<LocalWorld> {
  const { kubernetes } = connection;
  steps.begin(`${options.installCrds ? 'Installing' : 'Checking'} CustomResourceDefinitions`);
  await prepareCrds(kubernetes, { options, external, reporter });
  const simulated = await installedSimulators(kubernetes);
  const featureGates = process.env['CAPI_FEATURE_GATES'];
  const core = ofGates(coreDeclarations, toLocalGates(featureGates));
  const others = [...simulated, ...externalDeclarations(external)];
  const declarations = [...core, ...others];
  await requireRights(kubernetes, declarations);
  const beside: Beside = { simulated, external };
  const functions = [
    ...(await withExternalProviders(toLocalFunctions(simulated, core, options.layout), {
      external,
      simulated: simulated.length > 0,
    })),
    ...(await toExternalFunctions(external)),
  ];
  steps.begin(`Bundling functions: 0 of ${functions.length}`);
  let bundled = 0;
  const bundles = await bundleWithExternal(functions, external, () => {
    bundled += 1;
    steps.begin(`Bundling functions: ${bundled} of ${functions.length}`);
  });
  steps.begin('Starting queues, functions and event sources');
  const world = await startWorld({
    kubeconfigPath: connection.kubeconfigPath,
    kubernetes: connection.forwarder,
    managementCluster: connection.managementCluster,
    declarations,
    queues: toQueueSpecs(toConsumers(core, options.layout, others)),
    functions,
    bundles,
    sources: options.sources,
    audit: audit && { functionUrl: audit.functionUrl, ...(await bundleSource(auditFunction, beside)) },
    windowed: options.sources.includes('windowed') ? await bundleSource(windowedFunction, beside) : undefined,
    auditTokensFile: audit?.files.tokenFile,
    featureGates,
    watchFilter: options.watchFilter,
    resyncPeriodSeconds,
    logLevel,
    clock: systemClock,
    newId: randomUUID,
    log: createJsonLog({ level: logLevel }),
  });
  reporter.started(
    connection.server,
    declarations.map(({ name }) => name),
  );
  return world;
}

/** The functions that run in addition to those of this product. */
interface Beside {
  readonly simulated: readonly Declaration[];
  readonly external: ExternalProviders;
}

async function bundleSource(source: SourcePlan, { simulated, external }: Beside): Promise<SourceFunction> {
  const [plan] = await withExternalProviders([toLocalSource(source, simulated)], {
    external,
    simulated: simulated.length > 0,
  });
  const [bundle] = plan === undefined ? [] : await bundleWithExternal([plan], external);
  if (plan === undefined || bundle === undefined) {
    throw new Error(`Function ${source.name} was not bundled`);
  }
  return { plan, bundle };
}

/** Returns the objects in the version that is stored. */
async function readManifests(files: readonly string[]): Promise<StoredObjects> {
  const read = files.map(async file => {
    const text = await readFile(file, 'utf8').catch(thrown => {
      throw new UsageError(`Manifest ${file} cannot be read: ${toError(thrown).message}`, { cause: thrown });
    });
    return { file, text };
  });
  const texts = await Promise.all(read);
  try {
    return inStoredVersion(texts.flatMap(({ file, text }) => parseManifests(text, file)));
  } catch (thrown) {
    throw thrown instanceof ManifestError ? new UsageError(thrown.message, { cause: thrown }) : thrown;
  }
}

interface Preparing {
  readonly options: StartOptions;
  readonly external: ExternalProviders;
  readonly reporter: Reporter;
}

/**
 * With --install-crds, all kinds are installed. Without it, the kinds in use and the kinds of external providers must
 * exist.
 */
async function prepareCrds(kubernetes: Kubernetes, { options, external, reporter }: Preparing): Promise<void> {
  const definitions = external.providers.flatMap(({ crds }) => crds);
  const theirs = definitions.map(({ crd }) => crd);
  const report: CrdReport = options.installCrds
    ? await installCrds(kubernetes, [...coreCrds, ...simulatedCrds, ...theirs], {
        clock: systemClock,
        timeoutMs: installationTimeoutMs * parseConfig(process.env).timeLimitFactor,
      })
    : await checkCrds(kubernetes, [...usedCrds, ...theirs]);
  if (report.problems.length > 0) {
    const files = new Map(definitions.map(({ crd, file }) => [crd.metadata.name, `${file}: `]));
    const lines = report.problems.map(problem => `${files.get(problem.object) ?? ''}${toProblemLine(problem)}`);
    throw new UsageError(lines.join('; '));
  }
  if (report.created.length > 0) {
    reporter.note(`Installed ${report.created.length} CustomResourceDefinitions`);
  }
  for (const line of await describeOutdated(kubernetes, definitions)) {
    reporter.note(line);
  }
}

/** Returns the simulated reconcilers if all their kinds are installed, otherwise none. */
async function installedSimulators(kubernetes: Kubernetes): Promise<readonly Declaration[]> {
  const { problems } = await checkCrds(kubernetes, reconciledCrds);
  return problems.length === 0 ? localDeclarations : [];
}

async function requireRights(kubernetes: Kubernetes, declarations: readonly Declaration[]): Promise<void> {
  const missing = await missingRights(kubernetes, declarations);
  if (missing.length > 0) {
    throw new UsageError(`This user may not ${missing.join(', ')}; bind the roles of infra/kubernetes/rbac to it`);
  }
}
