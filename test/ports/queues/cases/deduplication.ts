// A FIFO queue accepts each id once within 300 s.
import { expect, it } from 'vitest';
import { fifo, type ItIf, type Prepare, shortFifo, standard, toGroup } from '../suite-queues.ts';

export function deduplication(given: Prepare, itIf: ItIf): void {
  it('drops a message whose id was accepted before, even after that message is deleted', async () => {
    const on = given();
    await on.sent(fifo, toGroup('a', 'first', 'same'), toGroup('a', 'twin', 'same'));
    expect(await on.drained(fifo)).toEqual(['first']);
    await on.sent(fifo, toGroup('a', 'late twin', 'same'));
    expect(await on.drained(fifo)).toEqual([]);
  });

  itIf('virtualTime')('accepts the id again 300 s after it was first accepted', async () => {
    const on = given();
    await on.sent(fifo, toGroup('a', 'first', 'same'));
    await on.letPass(299_999);
    await on.sent(fifo, toGroup('a', 'within', 'same'));
    await on.letPass(1);
    await on.sent(fifo, toGroup('a', 'after', 'same'));
    expect(await on.drained(fifo)).toEqual(['first', 'after']);
  });

  it('deduplicates neither across queues nor on standard queues', async () => {
    const on = given();
    await on.sent(fifo, toGroup('a', 'here', 'same'));
    await on.sent(shortFifo, toGroup('a', 'there', 'same'));
    await on.sent(standard, { body: 'twin' }, { body: 'twin' });
    expect(await on.drained(fifo)).toEqual(['here']);
    expect(await on.drained(shortFifo)).toEqual(['there']);
    expect(await on.drained(standard)).toEqual(['twin', 'twin']);
  });
}
