// Runs a plan that asks with answers from a table, without promises, and records its questions.

import type { AskingPlan, Question } from '@capi-serverless/reconciler';

type AnswerTo<Asked> = Asked extends Question<string, unknown, infer Answer> ? Answer : never;

/** A question without a function is an error of the test. */
type AnswerTable<Asked extends Question> = {
  readonly [Name in Asked['ask']]?: (
    about: Extract<Asked, Question<Name>>['about'],
  ) => AnswerTo<Extract<Asked, Question<Name>>>;
};

interface AnsweredPlan<Asked, T> {
  readonly result: T;
  /** In the order in which they were asked. */
  readonly asked: readonly Asked[];
}

/** Plans side by side are run one after the other. */
export function answerFrom<Asked extends Question, T>(
  plan: AskingPlan<Asked, T>,
  table: AnswerTable<Asked> = {},
): AnsweredPlan<Asked, T> {
  const byName = table as Readonly<Record<string, ((about: unknown) => unknown) | undefined>>; // true: each kind is asked with its own content
  const asked: Asked[] = [];
  const drive = <R>(each: AskingPlan<Asked, R>): R => {
    let step = each.next();
    while (step.done !== true) {
      const { value } = step;
      step = each.next('together' in value ? value.together.map(drive) : answer(value));
    }
    return step.value;
  };
  const answer = (question: Asked): unknown => {
    const toAnswer = byName[question.ask];
    if (toAnswer === undefined) {
      throw new Error(`The plan asks '${question.ask}' about ${JSON.stringify(question.about)}`);
    }
    asked.push(question);
    return toAnswer(question.about);
  };
  return { result: drive(plan), asked };
}
