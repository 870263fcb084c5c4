// The page of a local run in a real browser, as a user sees it.
import path from 'node:path';
import axe from 'axe-core';
import type { Browser, Page } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRoot } from '../../infra/bundles/bundle.ts';
import { embeddedKubeconfigPath } from '../../local/embedded.ts';
import { findBrowser, startBrowser } from '../support/browser.ts';
import { declareMissing } from '../support/describe-part.ts';
import { type LocalRun, startLocalRun } from '../support/local-run.ts';
import { clusterRef } from '../support/static-provider.ts';
import { connectWorldClient, type WorldClient } from '../support/world-client.ts';
import { aShownCluster, createShownCluster } from './shown-cluster.ts';

const suite = 'the page in a browser';
const program = findBrowser();
if (program === undefined) {
  declareMissing(suite, 'no chromium is installed', { isOptional: true });
} else {
  describe(suite, () => showPage(program));
}

const limit = { timeout: 600_000 };

/** An expression of the browser. */
const textOf = (selector: string): string => `(document.querySelector('${selector}')?.textContent ?? '')`;

function showPage(executablePath: string): void {
  let run: LocalRun;
  let client: WorldClient;
  let browser: Browser;
  let page: Page;
  let url: string;
  const requested: string[] = [];
  const mistakes: string[] = [];

  beforeAll(async () => {
    run = startLocalRun({ args: ['--no-examples', '--json', '--ui'] });
    const note = await run.line(({ event, message }) => event === 'note' && /^The page/.test(String(message)));
    url = String(note['message']).replace(/^.*: (?=http)/, '');
    client = await connectWorldClient(embeddedKubeconfigPath);
    browser = await startBrowser(executablePath);
    page = await browser.newPage();
    page.on('request', request => requested.push(request.url()));
    page.on('pageerror', error => mistakes.push(String(error)));
    page.on('console', message => message.type() === 'error' && mistakes.push(message.text()));
    await page.setViewport({ width: 1100, height: 900 });
    await page.goto(url);
    await until('live', `${textOf('#connection')} === 'live'`);
  });

  afterAll(async () => {
    await browser?.close();
    run?.interrupt();
    await run?.ended;
  });

  /** Waits until an expression is true in the browser. */
  async function until(what: string, expression: string): Promise<void> {
    await page.waitForFunction(expression, limit).catch((cause: unknown) => {
      throw new Error(`The page never showed: ${what}`, { cause });
    });
  }

  it('shows a Cluster as it is made, down to its Nodes', async () => {
    await createShownCluster(client, 'v1.35.0');
    await until('the Cluster', "document.querySelector('.cluster') !== null");
    // With the keyboard, as users without a pointer do.
    await page.focus('.cluster summary');
    await page.keyboard.press('Enter');
    await until('Available', `/Available/.test(${textOf('.cluster .detail')})`);
    await until('Nodes', `(${textOf('.tree')}.match(/Node\\//g) ?? []).length >= 4`);
    expect(await page.evaluate("document.querySelector('.cluster').open")).toBe(true);
    await until('what it waits for', `/waits for nothing/.test(${textOf('.why')})`);
  });

  it('shows the conditions and the reconciles of an object', async () => {
    await page.click('.links a');
    await until('the panel', "document.activeElement?.id === 'object-title'");
    expect(await page.evaluate(textOf('#object'))).toMatch(/Cluster default\/shown[\s\S]*Reconciles/);
    expect(await page.evaluate("document.querySelectorAll('.timeline > li').length")).toBeGreaterThan(1);
  });

  it('shows an upgrade as a picture that moves', async () => {
    await client.patch(clusterRef('default', 'shown'), { spec: { topology: { version: 'v1.36.0' } } });
    await until('boxes to replace', `/to replace/.test(${textOf('.cluster')})`);
    await page.screenshot({ path: picture('page') });
    const isDone = `(text => /Available/.test(text) && !/to replace|v1\\.35\\.0/.test(text))(${textOf('.cluster')})`;
    await until('no box to replace', isDone);
  });

  it('plans a pasted change, and writes nothing', async () => {
    const before = await client.read(clusterRef('default', 'shown'));
    const text = JSON.stringify(aShownCluster('v1.36.0')).replace('"replicas":3', '"replicas":5');
    await page.type('#plan-text', text);
    await page.click('#plan button');
    await until('the plan', `/replicas/.test(${textOf('#plan-result')})`);
    expect((await client.read(clusterRef('default', 'shown')))?.metadata.generation).toBe(before?.metadata.generation);
  });

  it('filters by name', async () => {
    await page.type('#filter', 'other');
    await until('no Cluster', "document.querySelector('.cluster').hidden");
    await page.evaluate(
      "const input = document.querySelector('#filter'); input.value = ''; input.dispatchEvent(new Event('input'))",
    );
    await until('the Cluster again', "!document.querySelector('.cluster').hidden");
  });

  it.each(['light', 'dark'])('has no serious problem of accessibility in %s', async scheme => {
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
    const problems = await page.evaluate(`${axe.source}; axe.run().then(({ violations }) => violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(', ')))`);
    expect(problems).toEqual([]);
  });

  it('forgets a deleted Cluster', async () => {
    await client.remove(clusterRef('default', 'shown'));
    await until('no Cluster', "document.querySelector('.cluster') === null");
  });

  it('asks no other server, and has no errors', () => {
    const { origin } = new URL(url);
    expect(requested.filter(each => new URL(each).origin !== origin)).toEqual([]);
    expect(mistakes).toEqual([]);
  });
}

/** The screenshot of the documentation is kept if asked for. */
function picture(name: string): string {
  const folder = process.env['CAPI_SCREENSHOTS'];
  return folder === undefined ? path.join(projectRoot, 'dist', `${name}.png`) : path.join(folder, `${name}.png`);
}
