import { describe, expect, it } from 'vitest';
import { isAllowed, type ResolvedStatement, serviceOf } from '../../support/iam.ts';

const queue = 'arn:aws:sqs:eu-central-1:123456789012:blue-work';
const send = { action: 'sqs:SendMessage', resource: queue };
const allow = (change: Partial<ResolvedStatement> = {}): ResolvedStatement => ({
  Effect: 'Allow',
  Action: 'sqs:SendMessage',
  Resource: queue,
  ...change,
});

describe('a set of statements', () => {
  it.each([
    { statements: [], allowed: false, reason: 'nothing is allowed by default' },
    { statements: [allow()], allowed: true, reason: 'it names both' },
    { statements: [allow({ Action: 'sqs:ReceiveMessage' })], allowed: false, reason: 'another action' },
    { statements: [allow({ Action: ['sqs:ReceiveMessage', 'SQS:sendmessage'] })], allowed: true, reason: 'no case' },
    { statements: [allow({ Action: 'sqs:*' })], allowed: true, reason: 'any action' },
    { statements: [allow({ Resource: `${queue}2` })], allowed: false, reason: 'another queue' },
    { statements: [allow({ Resource: ['x', '*'] })], allowed: true, reason: 'any resource' },
    { statements: [allow({ Resource: queue.replace('blue', 'b?ue') })], allowed: true, reason: 'any character' },
    { statements: [allow({ Resource: queue.replace('-1:', '.1:') })], allowed: false, reason: 'a dot is a dot' },
    { statements: [allow(), allow({ Effect: 'Deny' })], allowed: false, reason: 'Deny takes precedence' },
    { statements: [allow({ Condition: {} })], allowed: true, reason: 'its condition may hold' },
    { statements: [allow(), allow({ Effect: 'Deny', Condition: {} })], allowed: true, reason: 'its condition may not' },
  ])('allows: $allowed ($reason)', ({ statements, allowed }) => {
    expect(isAllowed(statements, send)).toBe(allowed);
  });

  it('rejects statements with NotAction or NotResource', () => {
    const inverted = { Effect: 'Allow', NotAction: 'iam:*', Resource: '*' } as unknown as ResolvedStatement; // true: the form has no types
    expect(() => isAllowed([inverted], send)).toThrow('Cannot determine the resource of this statement');
  });
});

it('an action and an ARN have a service', () => {
  expect([serviceOf('sqs:SendMessage'), serviceOf(queue)]).toEqual(['sqs', 'sqs']);
});
