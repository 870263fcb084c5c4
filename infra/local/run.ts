// One local run, from the first request to the summary.
import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { declarations as coreDeclarations } from '../../functions/declarations.ts';
import { coreCrds } from '../../shared/api/crds.ts';
import type { Intent } from '../../shared/api/object.ts';
import { ofGates } from '../../shared/config/feature-gates.ts';
import { toError } from '../../shared/kernel/errors.ts';
import type { Declaration } from '../../shared/kernel/types.ts';
import type { Kubernetes } from '../../shared/kubernetes/port.ts';
import { type LogFact, logs } from '../../shared/telemetry/channels.ts';
import { createJsonLog } from '../../shared/telemetry/json-log.ts';
import { systemClock } from '../../shared/telemetry/system-clock.ts';
import { projectRoot } from '../bundles/bundle.ts';
import { auditFunction, type SourcePlan, windowedFunction } from '../functions.ts';
import { missingRights } from './access.ts';
import { createAdmission, localAdmissionGates } from './admission.ts';
import { type OpenAudit, openAudit, toAuditAdvice, toEmbeddedAudit } from './audit/open.ts';
import { type Connection, connect, localClient } from './connect.ts';
import { listen, startCounters } from './counters.ts';
import { type CrdReport, checkCrds, installCrds, toProblemLine } from './crds.ts';
import { drive } from './drive.ts';
import { embeddedKubeconfigPath, startEmbedded } from './embedded.ts';
import { toLocalGates } from './environment.ts';
import { startExtension } from './extension.ts';
import { toLocalFunctions, toLocalSource } from './functions.ts';
import { tellOutdated } from './guests/definitions.ts';
import { addGuests, bundleWithGuests, toGuestFunctions } from './guests/functions.ts';
import { type Guests, guestDeclarations, loadGuests } from './guests/load.ts';
import { ManifestError, parseManifests } from './manifests.ts';
import { type Options, UsageError } from './options.ts';
import { reconciledCrds, simulatedCrds } from './provider/crds/index.ts';
import { localDeclarations } from './provider/declarations.ts';
import { publishTarget } from './queues/target.ts';
import type { SourceFunction } from './sources.ts';
import { nextSteps } from './view/next-steps.ts';
import { createReporter, type Reporter } from './view/reporter.ts';
import { terminalOf } from './view/terminal.ts';
import { startWorld, type World } from './world.ts';

const resyncPeriodSeconds = 600;
const logLevel = 'info';

/** Resolves with the exit code. Throws UsageError when it cannot start. */
export async function run(options: Options, interrupted: AbortSignal): Promise<number> {
  const guests = await loadGuests(options.providers, [...coreDeclarations, ...localDeclarations]);
  try {
    return await runWith(guests, options, interrupted);
  } finally {
    await guests.close();
  }
}

async function runWith(guests: Guests, options: Options, interrupted: AbortSignal): Promise<number> {
  const startedAt = systemClock.now();
  const given = await readManifests(options.examples ? await exampleFiles(guests) : options.apply);
  const audit = options.sources.includes('audit')
    ? await openAudit({ folder: options.auditFolder, port: options.auditPort })
    : undefined;
  const server = await openServer(options, { audit, guests });
  const extension = options.withExtension ? await startExtension() : undefined;
  const manifests = [...(options.examples && server.restored ? [] : given), ...(extension?.manifests ?? [])];
  const { connection } = server;
  const counters = startCounters({ except: localClient });
  const terminal = terminalOf(process.stdout, process.env);
  const reporter = createReporter({
    json: options.json,
    write: text => process.stdout.write(text),
    now: systemClock.now,
    ...(terminal === undefined ? {} : { live: { terminal, clock: systemClock } }),
  });
  const summarize = (): void =>
    reporter.summary({ seconds: (systemClock.now() - startedAt) / 1000, ...counters.summary() });
  const stopLogs = listen<LogFact>(logs, fact => reporter.log(fact.line));
  let takeBack = (): void => undefined;
  try {
    const world = await start({ options, connection, audit, reporter, guests });
    if (audit !== undefined && options.kubeconfig !== undefined) {
      reporter.advice(toAuditAdvice(audit));
    }
    takeBack = publishTarget(world.queueUrls);
    const code = await drive({
      manifests,
      readyWithinSeconds: options.exitWhenReady ? options.timeoutSeconds : undefined,
      watchFilter: options.watchFilter,
      kubernetes: connection.kubernetes,
      reporter,
      clock: systemClock,
      interrupted,
      onReady: clusters => {
        if (!options.exitWhenReady) {
          summarize();
          reporter.advice(nextSteps({ kubeconfigPath: connection.kubeconfigPath, clusters }));
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
    await audit?.functionUrl.stop();
    await extension?.stop();
    await server.close();
  }
}

interface Server {
  readonly connection: Connection;
  /** It holds what an earlier run left: the examples were applied then. */
  readonly restored: boolean;
  close(): Promise<void>;
}

/** The API server that the user named, or one of our own. */
async function openServer(
  { kubeconfig, port, data, admission }: Options,
  { audit, guests }: { readonly audit: OpenAudit | undefined; readonly guests: Guests },
): Promise<Server> {
  if (kubeconfig !== undefined) {
    const connection = await connect(kubeconfig);
    return { connection, restored: false, close: connection.close };
  }
  const embedded = await startEmbedded({
    port,
    dataFile: data,
    kubeconfigPath: embeddedKubeconfigPath,
    admit: admission ? createAdmission(localAdmissionGates) : undefined,
    audit: audit && toEmbeddedAudit(audit, [...coreDeclarations, ...localDeclarations, ...guestDeclarations(guests)]),
  });
  try {
    const connection = await connect(embedded.kubeconfigPath);
    return {
      connection,
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

/** Those of the providers that were named, otherwise ours. A Cluster comes after its class. */
async function exampleFiles({ providers }: Guests): Promise<readonly string[]> {
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
  readonly options: Options;
  readonly connection: Connection;
  readonly audit: OpenAudit | undefined;
  readonly reporter: Reporter;
  readonly guests: Guests;
}

async function start({ options, connection, audit, reporter, guests }: Starting): Promise<World> {
  const { kubernetes } = connection;
  await prepareCrds(kubernetes, { options, guests, reporter });
  const simulated = await installedSimulators(kubernetes);
  const featureGates = process.env['CAPI_FEATURE_GATES'];
  const core = ofGates(coreDeclarations, toLocalGates(featureGates));
  const declarations = [...core, ...simulated, ...guestDeclarations(guests)];
  await requireRights(kubernetes, declarations);
  const beside: Beside = { simulated, guests };
  const functions = [
    ...(await addGuests(toLocalFunctions(simulated, core), { guests, simulated: simulated.length > 0 })),
    ...(await toGuestFunctions(guests)),
  ];
  const bundles = await bundleWithGuests(functions, guests);
  const world = await startWorld({
    kubeconfigPath: connection.kubeconfigPath,
    kubernetes: connection.forwarder,
    managementCluster: connection.managementCluster,
    declarations,
    functions,
    bundles,
    sources: options.sources,
    audit: audit && { functionUrl: audit.functionUrl, ...(await bundleSource(auditFunction, beside)) },
    windowed: options.sources.includes('windowed') ? await bundleSource(windowedFunction, beside) : undefined,
    auditTokensFile: audit?.files.tokenFile,
    featureGates,
    watchFilter: options.watchFilter,
    queueDesign: options.queueDesign,
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

/** What runs beside the functions of this product. */
interface Beside {
  readonly simulated: readonly Declaration[];
  readonly guests: Guests;
}

async function bundleSource(source: SourcePlan, { simulated, guests }: Beside): Promise<SourceFunction> {
  const [plan] = await addGuests([toLocalSource(source, simulated)], { guests, simulated: simulated.length > 0 });
  const [bundle] = plan === undefined ? [] : await bundleWithGuests([plan], guests);
  if (plan === undefined || bundle === undefined) {
    throw new Error(`Function ${source.name} was not bundled`);
  }
  return { plan, bundle };
}

async function readManifests(files: readonly string[]): Promise<readonly Intent[]> {
  const read = files.map(async file => {
    const text = await readFile(file, 'utf8').catch(thrown => {
      throw new UsageError(`Manifest ${file} cannot be read: ${toError(thrown).message}`, { cause: thrown });
    });
    try {
      return parseManifests(text, file);
    } catch (thrown) {
      throw thrown instanceof ManifestError ? new UsageError(thrown.message, { cause: thrown }) : thrown;
    }
  });
  return (await Promise.all(read)).flat();
}

interface Preparing {
  readonly options: Options;
  readonly guests: Guests;
  readonly reporter: Reporter;
}

/** With --install-crds all kinds are installed, the simulated ones too; without it the core kinds and the guests' must be there. */
async function prepareCrds(kubernetes: Kubernetes, { options, guests, reporter }: Preparing): Promise<void> {
  const definitions = guests.providers.flatMap(({ crds }) => crds);
  const theirs = definitions.map(({ crd }) => crd);
  const report: CrdReport = options.installCrds
    ? await installCrds(kubernetes, [...coreCrds, ...simulatedCrds, ...theirs], { clock: systemClock })
    : await checkCrds(kubernetes, [...coreCrds, ...theirs]);
  if (report.problems.length > 0) {
    const files = new Map(definitions.map(({ crd, file }) => [crd.metadata.name, `${file}: `]));
    const lines = report.problems.map(problem => `${files.get(problem.object) ?? ''}${toProblemLine(problem)}`);
    throw new UsageError(lines.join('; '));
  }
  if (report.created.length > 0) {
    reporter.note(`Installed ${report.created.length} CustomResourceDefinitions`);
  }
  for (const line of await tellOutdated(kubernetes, definitions)) {
    reporter.note(line);
  }
}

/** The simulated provider runs where the kinds exist that it reconciles, beside whatever else is installed. */
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
