// Section `page`: the page in a real browser, with fleets of several sizes on an embedded API server. No functions run.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Kubernetes } from '@capi-serverless/apimachinery';
import { systemClock } from '@capi-serverless/apimachinery/system-clock';
import type { Browser, Page } from 'puppeteer-core';
import { openPage } from '../../cli/ui/open-page.ts';
import { connect } from '../../local/connect.ts';
import { requireCrds } from '../../local/crds.ts';
import { startEmbedded } from '../../local/embedded.ts';
import { coreCrds } from '../../shared/api/crds.ts';
import { accepted } from '../../test/support/accepted.ts';
import { findBrowser, startBrowser } from '../../test/support/browser.ts';
import { largest, median, type Say, type Section } from '../section.ts';

interface PageSizes {
  /** The sizes of the fleets. The last one is the baseline. */
  readonly fleets: readonly number[];
  readonly updates: number;
}

export const fullSizes: PageSizes = { fleets: [500, 100, 1], updates: 50 };
export const quickSizes: PageSizes = { fleets: [10, 1], updates: 5 };

interface Measured {
  readonly firstPaintMs: number | null;
  readonly shownMs: number | null;
  readonly updates: readonly number[];
  readonly filterMs: number | null;
  readonly kibibytes: number | null;
}

const nothing: Measured = { firstPaintMs: null, shownMs: null, updates: [], filterMs: null, kibibytes: null };

export async function measurePage({ sizes, say }: { readonly sizes: PageSizes; readonly say: Say }): Promise<Section> {
  const program = findBrowser();
  const measured: Measured[] = [];
  for (const clusters of sizes.fleets) {
    say(`page: ${clusters} Clusters`);
    measured.push(program === undefined ? nothing : await measureFleet(program, clusters, sizes.updates));
  }
  return {
    name: 'page',
    title: 'The page in a browser',
    subjects: sizes.fleets.map(clusters => `${clusters} Clusters`),
    rows: [
      { figure: 'first paint', unit: 'ms', values: measured.map(({ firstPaintMs }) => firstPaintMs) },
      { figure: 'all Clusters in the document', unit: 'ms', values: measured.map(({ shownMs }) => shownMs) },
      { figure: 'change to the page, p50', unit: 'ms', values: measured.map(({ updates }) => median(updates)) },
      { figure: 'change to the page, max', unit: 'ms', values: measured.map(({ updates }) => largest(updates)) },
      { figure: 'filter by name', unit: 'ms', values: measured.map(({ filterMs }) => filterMs) },
      { figure: 'document', unit: 'KiB', values: measured.map(({ kibibytes }) => kibibytes) },
    ],
    skipped: program === undefined ? ['page: no chromium is installed'] : [],
  };
}

const nameOf = (number: number): string => `cluster-${String(number).padStart(4, '0')}`;
const refOf = (number: number) => ({
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'Cluster',
  namespace: 'default',
  name: nameOf(number),
});

async function measureFleet(program: string, clusters: number, updates: number): Promise<Measured> {
  const folder = await mkdtemp(path.join(tmpdir(), 'capi-page-'));
  const kubeconfigPath = path.join(folder, 'kubeconfig');
  const embedded = await startEmbedded({ port: 0, kubeconfigPath, dataFile: undefined });
  const connection = await connect(embedded.kubeconfigPath);
  const { kubernetes } = connection;
  await requireCrds(kubernetes, coreCrds, { clock: systemClock });
  for (let number = 0; number < clusters; number += 1) {
    const { namespace, name, apiVersion, kind } = refOf(number);
    const spec = { clusterNetwork: { serviceDomain: 'cluster.local' } };
    accepted(await kubernetes.create({ apiVersion, kind, metadata: { namespace, name }, spec }));
    await setMessage(kubernetes, number, 'first');
  }
  const opened = await openPage({
    ...connection,
    ...{ queues: undefined, isHost: false, watchFilter: '', port: 0, clock: systemClock },
  });
  const browser = await startBrowser(program);
  try {
    return await measureInBrowser(browser, opened.url, { kubernetes, clusters, updates });
  } finally {
    await browser.close();
    await opened.stop();
    await connection.close();
    await embedded.stop();
    await rm(folder, { recursive: true });
  }
}

async function setMessage(kubernetes: Kubernetes, number: number, message: string): Promise<void> {
  const time = '2026-01-01T00:00:00Z';
  const condition = { type: 'InfrastructureReady', status: 'False', reason: 'NotReady', lastTransitionTime: time };
  const status = { phase: 'Provisioning', conditions: [{ ...condition, message }] };
  accepted(await kubernetes.mergePatch(refOf(number), { status }, { subresource: 'status' }));
}

interface Fleet {
  readonly kubernetes: Kubernetes;
  readonly clusters: number;
  readonly updates: number;
}

async function measureInBrowser(
  browser: Browser,
  url: string,
  { kubernetes, clusters, updates }: Fleet,
): Promise<Measured> {
  const page = await browser.newPage();
  // The first list of the server is not part of the measurement.
  await page.goto(url);
  await page.waitForFunction(`document.querySelectorAll('.cluster').length === ${clusters}`);
  await page.goto(url);
  await page.waitForFunction(`document.querySelectorAll('.cluster').length === ${clusters}`, { polling: 'raf' });
  const shownMs = await numberOf(page, 'performance.now()');
  await page.waitForFunction("performance.getEntriesByName('first-contentful-paint').length > 0");
  const firstPaintMs = await numberOf(page, "performance.getEntriesByName('first-contentful-paint')[0].startTime");
  await page.waitForFunction("document.querySelector('#connection').textContent === 'live'");
  const times: number[] = [];
  for (let number = 0; number < updates; number += 1) {
    const message = `message-${number}`;
    const shown = page.waitForFunction(`document.body.textContent.includes('${message}')`, { polling: 'mutation' });
    const before = performance.now();
    await setMessage(kubernetes, number % clusters, message);
    await shown;
    times.push(performance.now() - before);
  }
  const filterMs = await numberOf(
    page,
    `(() => {
      const before = performance.now();
      const input = document.querySelector('#filter');
      input.value = '${nameOf(0)}';
      input.dispatchEvent(new Event('input'));
      document.body.offsetHeight;
      return performance.now() - before;
    })()`,
  );
  const kibibytes = (await numberOf(page, 'document.documentElement.outerHTML.length')) / 1024;
  return { firstPaintMs, shownMs, updates: times, filterMs, kibibytes };
}

async function numberOf(page: Page, expression: string): Promise<number> {
  return Number(await page.evaluate(expression));
}
