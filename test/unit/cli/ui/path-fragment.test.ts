import { describe, expect, it } from 'vitest';
import { toPathFragment } from '../../../../cli/ui/path-fragment.ts';

const empty = { visible: 0, inFlight: 0, delayed: 0, deadLetters: 0 };
const work = {
  reconciles: { cluster: 4 },
  failedReconciles: 1,
  invocations: { cluster: 3 },
  messages: 5,
  requests: { 'get clusters': 9, 'patch clusters/status': 2, 'create machines': 1 },
  requestsTotal: 12,
};

describe('the path of events', () => {
  it('has a row for each queue, with the work of its function', () => {
    const queues = [
      { queue: 'cluster', ...empty, visible: 2, oldestSeconds: 7, deadLetters: 1 },
      { queue: 'machine', visible: 0, inFlight: 0, delayed: 0 },
    ];
    const text = toPathFragment({ queues: { source: 'local', queues }, work });
    expect(text).toContain(
      '<tr class="busy"><th scope="row">cluster</th><td>2</td><td>0</td><td>0</td><td>7 s</td><td class="failing">1</td><td>3</td><td>4</td></tr>',
    );
    expect(text).toContain(
      '<tr class=""><th scope="row">machine</th><td>0</td><td>0</td><td>0</td><td>–</td><td class="">?</td><td></td><td></td></tr>',
    );
    expect(text).toContain('5 messages delivered, 1 failed reconciles, 12 API requests, 3 of them writes.');
    expect(text).toContain('<li>create machines <b>1</b></li>');
    expect(text).not.toContain('get clusters');
  });

  it.each([
    { queues: undefined, text: 'No queues are known', reason: 'none' },
    { queues: 'The <queue> is away', text: 'The &lt;queue&gt; is away', reason: 'unreadable ones' },
  ])('says what is wrong with $reason', ({ queues, text }) => {
    expect(toPathFragment({ queues, work: undefined })).toContain(text);
  });
});
