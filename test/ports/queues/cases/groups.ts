// Messages of one group are delivered to one receiver at a time, in the order of sending.
import { expect, it } from 'vitest';
import { fifo, handlesOf, type ItIf, type Prepare, shortFifo, toGroup } from '../suite-queues.ts';

export function groups(given: Prepare, itIf: ItIf): void {
  it('blocks a group while one of its messages is in flight, and no other group', async () => {
    const on = given();
    await on.sent(fifo, toGroup('a', 'a1'), toGroup('a', 'a2'), toGroup('b', 'b1'));
    const [first] = await on.received(fifo, 1);
    expect(first?.body).toBe('a1');
    expect(await on.bodies(fifo)).toEqual(['b1']);
    await on.queues.delete(fifo, [first?.receiptHandle ?? '']);
    expect(await on.bodies(fifo)).toEqual(['a2']);
  });

  it('delivers a group in the order of sending, across redelivery', async () => {
    const on = given();
    await on.sent(fifo, toGroup('a', '1'), toGroup('a', '2'), toGroup('a', '3'));
    await on.queues.changeVisibility(fifo, handlesOf(await on.received(fifo, 1)), 0);
    expect(await on.drained(fifo)).toEqual(['1', '2', '3']);
  });

  it('never delivers one group to two receivers at a time', async () => {
    const on = given();
    const names = ['a', 'b', 'c', 'd'];
    await on.sent(fifo, ...['1', '2', '3'].flatMap(n => names.map(name => toGroup(name, `${name}${n}`))));
    const held = new Set<string>();
    const overlaps: string[] = [];
    const served: string[] = [];
    const work = async (): Promise<void> => {
      for (let batch = await on.received(fifo, 2); served.length < 12; batch = await on.received(fifo, 2)) {
        const groupsOfBatch = new Set(batch.map(({ attributes }) => attributes.groupId ?? ''));
        overlaps.push(...[...groupsOfBatch].filter(group => held.has(group)));
        for (const group of groupsOfBatch) {
          held.add(group);
        }
        await on.queues.depth(fifo);
        served.push(...batch.map(({ body }) => body));
        for (const group of groupsOfBatch) {
          held.delete(group);
        }
        await on.queues.delete(fifo, handlesOf(batch));
      }
    };
    await Promise.all([work(), work(), work()]);
    expect({ overlaps, served: served.toSorted() }).toEqual({
      overlaps: [],
      served: names.flatMap(name => ['1', '2', '3'].map(n => `${name}${n}`)),
    });
  });

  itIf('severalOfAGroup')('returns several messages of one group at once, in order', async () => {
    const on = given();
    await on.sent(fifo, toGroup('a', 'a1'), toGroup('b', 'b1'), toGroup('a', 'a2'), toGroup('a', 'a3'));
    expect((await on.bodies(fifo)).filter(body => body.startsWith('a'))).toEqual(['a1', 'a2', 'a3']);
  });

  itIf('severalOfAGroup')('holds back a group until the last of several messages is settled', async () => {
    const on = given();
    await on.sent(fifo, toGroup('a', 'a1'), toGroup('a', 'a2'), toGroup('a', 'a3'));
    const [first, second] = await on.received(fifo, 2);
    await on.queues.delete(fifo, [first?.receiptHandle ?? '']);
    expect(await on.bodies(fifo)).toEqual([]);
    await on.queues.delete(fifo, [second?.receiptHandle ?? '']);
    expect(await on.bodies(fifo)).toEqual(['a3']);
  });

  itIf('virtualTime')('refuses a late acknowledgement: the message comes back', async () => {
    const on = given();
    await on.sent(shortFifo, toGroup('a', 'slow'));
    const handles = handlesOf(await on.received(shortFifo));
    await on.letPass(1000);
    await on.queues.delete(shortFifo, handles);
    expect(await on.bodies(shortFifo)).toEqual(['slow']);
  });
}
