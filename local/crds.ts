// Installs missing definitions and waits until the API server serves their kinds. Existing definitions are checked, but
// never changed.

import {
  type Answer,
  type ApiFailure,
  type Checked,
  type Clock,
  type Intent,
  invalid,
  type Kubernetes,
  type ObjectRef,
  type Reads,
  toSchemaProblem,
  valid,
} from '@capi-serverless/apimachinery';
import * as z from 'zod/mini';

/** The parts of a definition that are checked. Definitions of other projects may not have all parts. */
export interface InstallableDefinition extends Intent {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string };
    readonly versions: readonly InstallableVersion[];
  };
}

interface InstallableVersion {
  readonly name: string;
  readonly served: boolean;
  readonly subresources?: { readonly status?: unknown };
}

const filled = z.string().check(z.minLength(1));
const installableSchema = z.looseObject({
  spec: z.looseObject({
    group: filled,
    names: z.looseObject({ kind: filled }),
    versions: z
      .array(z.looseObject({ name: filled, served: z.boolean(), subresources: z.optional(z.looseObject({})) }))
      .check(z.minLength(1)),
  }),
});

/** Returns a definition from a file or server if it has the checked parts. The server validates the other parts. */
export function toInstallable(object: Intent): Checked<InstallableDefinition> {
  const parsed = installableSchema.safeParse(object);
  // True: the line above parsed the object, and it is returned unchanged.
  return parsed.success ? valid(object as InstallableDefinition) : invalid(toSchemaProblem(parsed.error));
}

/** The reason why a kind cannot be used. */
interface CrdProblem {
  /** The name of the CustomResourceDefinition. */
  readonly object: string;
  readonly problem: string;
  readonly remedy: string;
}

export interface CrdReport {
  /** The names of the definitions that were created. */
  readonly created: readonly string[];
  readonly problems: readonly CrdProblem[];
}

interface InstallOptions {
  readonly clock: Clock;
  /** The maximum wait until the API server serves the kinds. Default: 30 s. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** The default of the time limit of an installation. */
export const installationTimeoutMs = 30_000;
const pollMs = 100;

const installRemedy = 'run again with --install-crds, or install the Cluster API release or provider that brings it';
const replaceRemedy = 'upgrade the Cluster API release or provider that installed it, or delete it if nothing uses it';

const definitionSchema = z.object({
  metadata: z.object({
    deletionTimestamp: z.optional(z.string()),
    labels: z.optional(z.record(z.string(), z.string())),
  }),
  spec: z.object({
    versions: z.array(
      z.object({
        name: z.string(),
        served: z.boolean(),
        subresources: z.optional(z.object({ status: z.optional(z.unknown()) })),
      }),
    ),
  }),
  status: z.optional(
    z.object({
      conditions: z.nullish(
        z.array(z.object({ type: z.string(), status: z.string(), message: z.optional(z.string()) })),
      ),
    }),
  ),
});

type Definition = z.infer<typeof definitionSchema>;

type Finding =
  | { readonly state: 'missing' | 'starting' | 'created' | 'ready' }
  | { readonly state: 'faulty'; readonly problem: CrdProblem };

/**
 * Creates missing definitions, checks existing definitions, and waits until the API server serves all of them. An
 * existing definition is never changed. Missing parts of it are problems in the report.
 */
export async function installCrds(
  kubernetes: Kubernetes,
  crds: readonly InstallableDefinition[],
  options: InstallOptions,
): Promise<CrdReport> {
  const deadline = options.clock.now() + (options.timeoutMs ?? installationTimeoutMs);
  const findings = await Promise.all(
    crds.map(async crd => {
      const finding = await ensure(kubernetes, crd);
      const settled = isUnderWay(finding) ? await waitUntilServed(kubernetes, crd, { ...options, deadline }) : finding;
      return { name: crd.metadata.name, created: finding.state === 'created', settled };
    }),
  );
  return {
    created: findings.filter(finding => finding.created).map(finding => finding.name),
    problems: findings.flatMap(({ settled }) => (settled.state === 'faulty' ? [settled.problem] : [])),
  };
}

/** Installs the definitions like `installCrds`. Throws an error with all problems. */
export async function requireCrds(
  kubernetes: Kubernetes,
  crds: readonly InstallableDefinition[],
  options: InstallOptions,
): Promise<void> {
  const { problems } = await installCrds(kubernetes, crds, options);
  if (problems.length > 0) {
    throw new Error(problems.map(toProblemLine).join('; '));
  }
}

/** Checks the definitions and makes no writes. A missing definition is also a problem. */
export async function checkCrds(reads: Reads, crds: readonly InstallableDefinition[]): Promise<CrdReport> {
  const problems = await Promise.all(
    crds.map(async crd => {
      const finding = await inspect(reads, crd);
      if (finding.state === 'missing') {
        return [toProblem(crd, 'is not installed', installRemedy)];
      }
      return finding.state === 'faulty' ? [finding.problem] : [];
    }),
  );
  return { created: [], problems: problems.flat() };
}

/** Returns one line of text for users. */
export function toProblemLine({ object, problem, remedy }: CrdProblem): string {
  return `CustomResourceDefinition ${object} ${problem}; ${remedy}`;
}

function isUnderWay(finding: Finding): boolean {
  return finding.state === 'created' || finding.state === 'starting';
}

async function ensure(kubernetes: Kubernetes, crd: InstallableDefinition): Promise<Finding> {
  const finding = await inspect(kubernetes, crd);
  if (finding.state !== 'missing') {
    return finding;
  }
  const answer = await kubernetes.create(crd);
  if (answer.ok) {
    return { state: 'created' };
  }
  // Another client created the definition in the meantime. It is checked like any other.
  return answer.failure.reason === 'AlreadyExists'
    ? inspect(kubernetes, crd)
    : faulty(crd, `could not be created: ${answer.failure.message}`, toRemedy(answer.failure, 'create'));
}

async function inspect(reads: Reads, crd: InstallableDefinition): Promise<Finding> {
  const answer = await reads.get(toCrdRef(crd), parseDefinition);
  if (!answer.ok) {
    return answer.missing
      ? { state: 'missing' }
      : faulty(crd, `could not be read: ${answer.failure.message}`, toRemedy(answer.failure, 'get'));
  }
  const flaw = findFlaw(crd, answer.value);
  if (flaw !== undefined) {
    return faulty(crd, flaw, replaceRemedy);
  }
  return { state: conditionOf(answer.value, 'Established')?.status === 'True' ? 'ready' : 'starting' };
}

function findFlaw(crd: InstallableDefinition, existing: Definition): string | undefined {
  if (existing.metadata.deletionTimestamp !== undefined) {
    return 'is being deleted';
  }
  const names = conditionOf(existing, 'NamesAccepted');
  if (names?.status === 'False') {
    return `has names that another definition uses: ${names.message ?? 'no message'}`;
  }
  for (const { name, subresources } of servedVersions(crd)) {
    const version = existing.spec.versions.find(candidate => candidate.name === name);
    if (version?.served !== true) {
      return `does not serve version ${name}`;
    }
    if (subresources?.status !== undefined && version.subresources?.status === undefined) {
      return `has no status subresource in version ${name}`;
    }
  }
  for (const [key, versions] of Object.entries(contractLabelsOf(crd))) {
    const there = existing.metadata.labels?.[key]?.split('_') ?? [];
    const missing = versions.split('_').find(version => !there.includes(version));
    if (missing !== undefined) {
      return `lacks version ${missing} in label ${key}`;
    }
  }
  return undefined;
}

/** Other versions of the contract cannot be used. */
function servedVersions(crd: InstallableDefinition): readonly InstallableVersion[] {
  return crd.spec.versions.filter(({ served }) => served);
}

/**
 * Returns `<group>/<contract>: <version>`, with versions joined by `_`. The Cluster controller reads the version from
 * this label.
 */
function contractLabelsOf(crd: InstallableDefinition): Readonly<Record<string, string>> {
  const labels = Object.entries(crd.metadata.labels ?? {});
  return Object.fromEntries(labels.filter(([key]) => /^cluster\.x-k8s\.io\/v\d/.test(key)));
}

async function waitUntilServed(
  kubernetes: Kubernetes,
  crd: InstallableDefinition,
  { clock, signal, deadline }: InstallOptions & { readonly deadline: number },
): Promise<Finding> {
  for (;;) {
    const finding = await inspect(kubernetes, crd);
    if (finding.state === 'faulty' || (finding.state === 'ready' && (await isServed(kubernetes, crd, signal)))) {
      return finding;
    }
    if (signal?.aborted === true || clock.now() >= deadline) {
      return faulty(crd, 'is not served yet', 'see its conditions and the log of the API server');
    }
    await clock.sleep(pollMs, signal);
  }
}

/** A kind can be established before the API server routes requests for it. */
async function isServed(kubernetes: Kubernetes, crd: InstallableDefinition, signal?: AbortSignal): Promise<boolean> {
  const { group, names } = crd.spec;
  const probe = ({ name }: { readonly name: string }): Promise<Answer<unknown>> =>
    kubernetes.watches.page(
      { apiVersion: `${group}/${name}`, kind: names.kind, as: 'metadata' },
      { limit: 1, signal: signal ?? new AbortController().signal },
    );
  const answers = await Promise.all(servedVersions(crd).map(probe));
  return answers.every(answer => answer.ok || answer.failure.reason !== 'NotFound');
}

function conditionOf(existing: Definition, type: string) {
  return existing.status?.conditions?.find(condition => condition.type === type);
}

function parseDefinition(raw: unknown): Definition {
  return definitionSchema.parse(raw);
}

function toCrdRef(crd: InstallableDefinition): ObjectRef {
  return { apiVersion: crd.apiVersion, kind: crd.kind, name: crd.metadata.name };
}

function toRemedy(failure: ApiFailure, verb: string): string {
  if (failure.reason === 'Unparsable') {
    return replaceRemedy;
  }
  if (failure.reason === 'Invalid' || failure.reason === 'BadRequest') {
    return 'fix the definition';
  }
  return failure.reason === 'Forbidden' || failure.reason === 'Unauthorized'
    ? `grant the verb ${verb} on customresourcedefinitions.apiextensions.k8s.io`
    : 'run again when the API server answers';
}

function faulty(crd: InstallableDefinition, problem: string, remedy: string): Finding {
  return { state: 'faulty', problem: toProblem(crd, problem, remedy) };
}

function toProblem(crd: InstallableDefinition, problem: string, remedy: string): CrdProblem {
  return { object: crd.metadata.name, problem, remedy };
}
