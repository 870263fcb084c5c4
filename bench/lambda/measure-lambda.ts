// Section `lambda`: the packaged functions with AWS's runtime client, cold and warm, compared with an empty handler.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { bundleFunction } from '../../infra/bundles/bundle.ts';
import {
  admissionFunction,
  auditFunction,
  conversionFunction,
  rotationFunction,
  timerFunction,
  windowedFunction,
} from '../../infra/function-plans.ts';
import { localAccount, localRegion } from '../../local/local-lambda.ts';
import { findLambdaRic } from '../../test/lambda-ric/location.ts';
import { startLambda } from '../../test/support/lambda-process.ts';
import { type PackagedFunction, packageDeployment } from '../../test/support/packaged.ts';
import { emptyHandler } from '../cold-start/cold-start.ts';
import { anEvent, setStage } from '../cold-start/stage.ts';
import { median, type Row, type Say, type Section } from '../section.ts';
import { measuredReviews } from '../webhooks/reviews.ts';

interface LambdaSizes {
  /** The number of processes per function. */
  readonly starts: number;
  /** The number of warm invocations per process. */
  readonly warm: number;
}

export const fullSizes: LambdaSizes = { starts: 15, warm: 40 };
export const quickSizes: LambdaSizes = { starts: 2, warm: 3 };

interface LambdaOptions {
  readonly sizes: LambdaSizes;
  readonly say: Say;
}

interface Times {
  /** The time from the start of the process until it requests its first event. */
  readonly loadedMs: number;
  /**
   * The time from the start of the process until it has answered this event. `undefined` if no event can be answered
   * without a server.
   */
  readonly answeredMs: number | undefined;
  readonly warmMs: readonly number[];
}

export async function measureLambda(options: LambdaOptions): Promise<Section> {
  const found = findLambdaRic();
  const dir = mkdtempSync(path.join(tmpdir(), 'capi-bench-'));
  try {
    return 'missing' in found
      ? toSection([], new Map(), { ...options, skipped: [found.missing] })
      : await measureAll(found.program, dir, options);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

async function measureAll(program: string, dir: string, { sizes, say }: LambdaOptions): Promise<Section> {
  const { environment } = setStage(dir);
  const functions = await packageAll(dir, environment['CAPI_KUBECONFIG'] ?? '');
  const times = new Map(functions.map(({ name }): [string, Times[]] => [name, []]));
  for (let round = 0; round < sizes.starts; round += 1) {
    // The invocations of the functions alternate, so that other load on the machine affects all of them equally.
    for (const each of functions) {
      times.get(each.name)?.push(await measureOne(program, each, { event: toEvent(each.name), warm: sizes.warm }));
    }
    say(`lambda: round ${round + 1} of ${sizes.starts}`);
  }
  return toSection(functions, times, { sizes, skipped: [] });
}

/** The empty handler is first. Files replace secrets. No server listens on the addresses in the environment. */
async function packageAll(dir: string, kubeconfig: string): Promise<readonly PackagedFunction[]> {
  const { file } = await bundleFunction(emptyHandler, dir);
  const { functions } = await packageDeployment(deployment, dir);
  const place = { partition: 'aws', region: localRegion, account: localAccount };
  const made = { ref: (id: string) => id, attribute: (id: string) => id };
  const packaged = functions(made, place, 'http://127.0.0.1:9').map(({ environment, ...rest }) => {
    const others = Object.fromEntries(Object.entries(environment).filter(([name]) => !name.endsWith('_SECRET')));
    return { ...rest, environment: { ...others, ...tokens, CAPI_KUBECONFIG: kubeconfig } };
  });
  const [like] = packaged;
  if (like === undefined) {
    throw new Error('The template has no function');
  }
  return [{ ...like, name: emptyHandler.name, environment: {}, taskRoot: path.dirname(file) }, ...packaged];
}

const token = 'x'.repeat(43);
const tokens = { CAPI_AUDIT_TOKENS: token, CAPI_ADMISSION_TOKENS: token, CAPI_CONVERSION_TOKENS: token };

const deployment = {
  name: 'capi-bench',
  managementCluster: '6f1a3c1e-8f0b-4d52-9c3a-0f6f8a1b2c3d',
  apiServer: {
    kind: 'kubeconfig',
    secretArn: `arn:aws:secretsmanager:${localRegion}:${localAccount}:secret:kubeconfig-AbCdEf`,
  },
  sources: { windowed: true, auditWebhook: {} },
  admission: {},
  conversion: {},
};

/**
 * Returns an event that the function answers without any request, or `undefined` if there is none. Webhooks answer a review;
 * the others refuse a message.
 */
function toEvent(name: string): unknown {
  switch (name) {
    case windowedFunction.name:
    case rotationFunction.name:
      return undefined;
    case auditFunction.name:
      return { version: '2.0', headers: {}, requestContext: { http: { method: 'POST' } }, body: '{}' };
    case admissionFunction.name:
    case conversionFunction.name:
      return toReviewEvent(name);
    case timerFunction:
      // The timer refuses a message for an unknown reconciler.
      return anEvent('unknown');
    default:
      return anEvent();
  }
}

function toReviewEvent(name: string): unknown {
  const review = measuredReviews.find(({ figure, function: of }) => of === name && figure.startsWith('Machine:'));
  if (review === undefined) {
    throw new Error(`There is no review for ${name}`);
  }
  return {
    version: '2.0',
    rawPath: `/${token}${review.path}`,
    rawQueryString: 'timeout=10s',
    headers: { 'content-type': 'application/json' },
    requestContext: { http: { method: 'POST' } },
    body: JSON.stringify(review.body),
  };
}

/** Rejects unless the function answers. The answer proves that the function's code ran. */
async function measureOne(
  program: string,
  packaged: PackagedFunction,
  { event, warm }: { readonly event: unknown; readonly warm: number },
): Promise<Times> {
  const running = await startLambda(program, packaged);
  const answer = async (): Promise<number> => {
    const startedAt = performance.now();
    const answered = await running.invoke(event);
    if (!answered.ok) {
      throw new Error(`Function "${packaged.name}" failed: ${answered.failure.errorMessage}`);
    }
    return performance.now() - startedAt;
  };
  try {
    await running.ready();
    const loadedMs = performance.now() - running.startedAt;
    if (event === undefined) {
      return { loadedMs, answeredMs: undefined, warmMs: [] };
    }
    const answeredMs = loadedMs + (await answer());
    const warmMs: number[] = [];
    for (let count = 0; count < warm; count += 1) {
      warmMs.push(await answer());
    }
    return { loadedMs, answeredMs, warmMs };
  } finally {
    await running.stop();
  }
}

function toSection(
  [empty, ...functions]: readonly PackagedFunction[],
  times: ReadonlyMap<string, readonly Times[]>,
  { sizes, skipped }: { readonly sizes: LambdaSizes; readonly skipped: readonly string[] },
): Section {
  const rows = functions.flatMap(({ name }): readonly Row[] => {
    const row = (what: string, of: (each: Times) => readonly number[]): Row => ({
      figure: `${name}: ${what}`,
      unit: 'ms',
      values: [name, empty?.name ?? ''].map(each => median((times.get(each) ?? []).flatMap(of))),
    });
    const all = [
      row('process start → first event asked for', ({ loadedMs }) => [loadedMs]),
      row('process start → first answer', ({ answeredMs }) => (answeredMs === undefined ? [] : [answeredMs])),
      row('warm invocation', ({ warmMs }) => warmMs),
    ];
    return all.filter(({ values }) => values[0] !== null);
  });
  return {
    name: 'lambda',
    title: `Under Lambda’s runtime client, median of ${sizes.starts} processes and ${sizes.warm} warm invocations of each`,
    subjects: ['function', 'empty handler'],
    rows,
    skipped,
  };
}
