// Answers the questions of plans with reads and dry runs.
import type { DryRunPort, Reads } from '@capi-serverless/apimachinery';
import type { AnswersTo } from '@capi-serverless/reconciler';
import type { DryRunQuestion, ReadQuestion } from '../plan/questions.ts';
import type { PassReads } from './pass-reads.ts';

export function readAnswers(ask: Pick<PassReads, 'get' | 'metadata'>): AnswersTo<ReadQuestion> {
  return { get: ref => ask.get(ref), metadata: ref => ask.metadata(ref) };
}

export function changeAnswers(
  ask: Pick<Reads, 'get' | 'metadata'> & DryRunPort,
): AnswersTo<ReadQuestion | DryRunQuestion> {
  return { ...readAnswers(ask), dryRun: ({ intent, options }) => ask.dryRun.apply(intent, options) };
}
