// Section `webhooks`: decisions of the admission and conversion functions beside upstream's webhooks, without a network.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import type { JsonObject } from '@capi-serverless/apimachinery';
import { currentBundles } from '../../infra/bundles/current.ts';
import { admissionFunction, conversionFunction } from '../../infra/function-plans.ts';
import { findUpstreamWebhooks } from '../../test/upstream-manager/webhooks.ts';
import { setStage } from '../cold-start/stage.ts';
import { quantile, type Row, type Say, type Section } from '../section.ts';
import { type MeasuredReview, measuredReviews } from './reviews.ts';

interface WebhookSizes {
  /** The number of times that each review is sent. */
  readonly samples: number;
}

export const fullSizes: WebhookSizes = { samples: 1_000 };
export const quickSizes: WebhookSizes = { samples: 50 };

/** Both subjects compile or load code in their first answers. */
const warmUp = 50;
const token = 'bench-token-of-forty-characters-1234567890';
const program = path.join(import.meta.dirname, 'answer-reviews.mjs');

interface WebhookOptions {
  readonly sizes: WebhookSizes;
  readonly say: Say;
}

export async function measureWebhooks({ sizes, say }: WebhookOptions): Promise<Section> {
  const folder = mkdtempSync(path.join(tmpdir(), 'capi-bench-'));
  const answering: Answering[] = [];
  const open = (name: string, args: readonly string[], environment: Readonly<Record<string, string>> = {}) => {
    const opened = new Answering(name, args, environment);
    answering.push(opened);
    return opened;
  };
  try {
    const environment = {
      ...setStage(folder).environment,
      CAPI_ADMISSION_TOKENS: token,
      CAPI_CONVERSION_TOKENS: token,
    };
    const bundles = await currentBundles([admissionFunction, conversionFunction]);
    const ours = new Map(
      bundles.map(({ name, file }) => [name, open(process.execPath, [program, file, token], environment)]),
    );
    const found = findUpstreamWebhooks();
    const upstream = 'missing' in found ? undefined : open(found.program, []);
    const rows: Row[] = [];
    for (const review of measuredReviews) {
      const subjects = [ours.get(review.function), upstream];
      rows.push(...(await measureReview(review, subjects, sizes)));
      say(`webhooks: ${review.figure}`);
    }
    return toSection(rows, sizes, 'missing' in found ? [found.missing] : []);
  } finally {
    for (const each of answering) {
      each.stop();
    }
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The subjects take turns, so that other load on the machine affects both. */
async function measureReview(
  { figure, path: at, body }: MeasuredReview,
  subjects: readonly (Answering | undefined)[],
  { samples }: WebhookSizes,
): Promise<readonly Row[]> {
  const times = subjects.map((): number[] => []);
  for (let round = -warmUp; round < samples; round += 1) {
    for (const [index, subject] of subjects.entries()) {
      const ms = await subject?.ask(at, body);
      if (ms !== undefined && round >= 0) {
        times[index]?.push(ms);
      }
    }
  }
  return [0.5, 0.99].map(share => ({
    figure: `${figure}, p${share * 100}`,
    unit: 'ms',
    values: times.map(each => quantile(each, share)),
  }));
}

/** A process that answers one request per line. */
class Answering {
  readonly #name: string;
  readonly #child: ChildProcess;
  readonly #lines: Interface;
  readonly #answers: AsyncIterator<string>;
  readonly #kill = (): void => void this.#child.kill();

  constructor(name: string, args: readonly string[], environment: Readonly<Record<string, string>>) {
    this.#name = name;
    this.#child = spawn(name, [...args], { env: environment, stdio: ['pipe', 'pipe', 'inherit'] });
    process.once('exit', this.#kill);
    const { stdout } = this.#child;
    if (stdout === null) {
      throw new TypeError(`${name} has no standard output`);
    }
    this.#lines = createInterface({ input: stdout });
    this.#answers = this.#lines[Symbol.asyncIterator]();
  }

  /** Returns the time until the answer. Rejects unless the review was answered with success. */
  async ask(at: string, body: JsonObject): Promise<number> {
    const line = `${JSON.stringify({ path: at, body: JSON.stringify(body), objects: [] })}\n`;
    const startedAt = performance.now();
    this.#child.stdin?.write(line);
    const { value = '', done } = await this.#answers.next();
    const ms = performance.now() - startedAt;
    if (done === true || !isSuccess(value)) {
      throw new Error(`${this.#name} did not answer a review of ${at}: ${value}`);
    }
    return ms;
  }

  stop(): void {
    this.#lines.close();
    this.#kill();
    process.off('exit', this.#kill);
  }
}

/** Allowed, or converted. */
function isSuccess(line: string): boolean {
  const { code, body } = JSON.parse(line);
  return code === 200 && /"allowed":true|"status":"Success"/.test(body);
}

function toSection(rows: readonly Row[], { samples }: WebhookSizes, skipped: readonly string[]): Section {
  return {
    name: 'webhooks',
    title: `Decisions of webhooks, processes warm, ${samples} of each, one after the other`,
    subjects: ['capi-serverless', 'upstream v1.14.0'],
    rows,
    skipped,
  };
}
