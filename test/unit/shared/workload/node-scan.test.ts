import { type Answer, answered, type ListedPage, refused, type Unstructured } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { NodeScans } from '../../../../shared/workload/node-scan.ts';
import { SteppedClock } from '../../../support/stepped-clock.ts';

const { signal } = new AbortController();
const gone = refused<ListedPage>({ reason: 'Gone', code: 410, message: 'expired' });

function aNode(name: string, spec?: unknown): Unstructured {
  const metadata = { name, uid: 'u', resourceVersion: '1' };
  return { apiVersion: 'v1', kind: 'Node', metadata, ...(spec === undefined ? {} : { spec }) };
}

function aPage(items: readonly Unstructured[], next?: string): Answer<ListedPage> {
  return answered({ items, resourceVersion: '1', ...(next === undefined ? {} : { continue: next }) });
}

/** Answers with these pages in their order, and records the tokens. */
function scripted(...pages: readonly Answer<ListedPage>[]) {
  const asked: (string | undefined)[] = [];
  const scans = new NodeScans(new SteppedClock());
  const read = () =>
    scans.nodes(async options => {
      asked.push(options.continue);
      return pages[asked.length - 1] ?? refused({ reason: 'InternalError', message: 'no further page' });
    }, signal);
  return { asked, read };
}

describe('a scan of all Nodes', () => {
  it('reads all pages, and keeps name and providerID', async () => {
    const { read, asked } = scripted(
      aPage([aNode('n1', { providerID: 'foo://1' })], 'second'),
      aPage([aNode('n2', { providerID: 7 }), aNode('n3', 'none'), aNode('n4')]),
    );
    expect(await read()).toEqual({
      ok: true,
      value: [
        { name: 'n1', providerID: 'foo://1' },
        { name: 'n2', providerID: '' },
        { name: 'n3', providerID: '' },
        { name: 'n4', providerID: '' },
      ],
    });
    expect(asked).toEqual([undefined, 'second']);
  });

  it('reads a page that is too large in smaller ones, which grow again', async () => {
    const tooLarge = refused<ListedPage>({ reason: 'InternalError', message: 'too large', tooLarge: true });
    const pages = [tooLarge, tooLarge, aPage([aNode('n1')], 'second'), tooLarge, aPage([aNode('n2')])];
    const limits: number[] = [];
    const scans = new NodeScans(new SteppedClock());
    const answer = await scans.nodes(async ({ limit }) => pages[limits.push(limit) - 1] ?? gone, signal);
    expect(answer).toMatchObject({ ok: true, value: [{ name: 'n1' }, { name: 'n2' }] });
    expect(limits).toEqual([500, 62, 7, 56, 7]);
  });

  it('fails when a Node alone is too large', async () => {
    const tooLarge = refused<ListedPage>({ reason: 'InternalError', message: 'too large', tooLarge: true });
    const { read, asked } = scripted(tooLarge, tooLarge, tooLarge, tooLarge);
    expect(await read()).toEqual(tooLarge);
    expect(asked).toHaveLength(4);
  });

  it('starts again, once, when the list expires', async () => {
    const { read, asked } = scripted(aPage([aNode('n1')], 'second'), gone, aPage([aNode('n2')]));
    expect(await read()).toEqual({ ok: true, value: [{ name: 'n2', providerID: '' }] });
    expect(asked).toEqual([undefined, 'second', undefined]);
  });

  it('fails when the list expires twice', async () => {
    const { read, asked } = scripted(gone, gone, aPage([]));
    expect(await read()).toMatchObject({ ok: false, failure: { reason: 'Gone' } });
    expect(asked).toHaveLength(2);
  });

  it('does not repeat another failure', async () => {
    const { read, asked } = scripted(refused({ reason: 'Forbidden', code: 403, message: 'no' }), aPage([]));
    expect(await read()).toMatchObject({ ok: false, failure: { reason: 'Forbidden' } });
    expect(asked).toHaveLength(1);
  });

  it.each([
    { reason: 'a list without end', page: aPage([aNode('n')], 'next'), pages: 2_000 },
    {
      reason: 'more text than is kept',
      page: aPage([aNode('n', { providerID: 'x'.repeat(9 * 1024 * 1024) })], 'next'),
      pages: 2,
    },
    {
      reason: 'more text than is kept, on the last page',
      page: aPage([aNode('n', { providerID: 'x'.repeat(17 * 1024 * 1024) })]),
      pages: 1,
    },
  ])('ends at $reason', async ({ page, pages }) => {
    const scans = new NodeScans(new SteppedClock());
    let count = 0;
    const answer = await scans.nodes(async () => {
      count += 1;
      return page;
    }, signal);
    expect(answer).toMatchObject({ ok: false, failure: { reason: 'InternalError' } });
    expect(count).toBe(pages);
  });
});
