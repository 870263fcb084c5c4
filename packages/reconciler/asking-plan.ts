// Plans that must ask before they can continue. Such a plan is a generator: it yields questions as data and continues with
// their answers. It calls no port, so it is pure, and a test answers it from a table.

/** One kind of question: its name, what one question is about, and its answer. */
export interface Question<Name extends string = string, About = unknown, Answer = unknown> {
  readonly ask: Name;
  readonly about: About;
  /** Never set. It holds the type of the answer. */
  readonly answer?: () => Answer;
}

type AnswerOf<Asked> = Asked extends Question<string, unknown, infer Answer> ? Answer : never;

/** Plans that do not depend on each other. */
interface SideBySide<Asked> {
  readonly together: readonly AskingPlan<Asked, unknown>[];
}

/** A plan that asks these questions and returns `T`. It does nothing before it is driven. */
export type AskingPlan<Asked, T> = Generator<Asked | SideBySide<Asked>, T, unknown>;

/** Asks one question: `const answer = yield* ask<GetQuestion>('get', ref)`. */
export function* ask<Asked extends Question>(
  name: Asked['ask'],
  about: Asked['about'],
): AskingPlan<Asked, AnswerOf<Asked>> {
  const question = { ask: name, about } as Asked; // True: a question has no other member that is set.
  return (yield question) as AnswerOf<Asked>; // True: the driver continues with the answer of this question.
}

type ResultsOf<Plans> = {
  readonly [Index in keyof Plans]: Plans[Index] extends AskingPlan<unknown, infer T> ? T : never;
};

/** Plans these side by side, and returns their results in the same order. Their first questions are asked at once. */
export function* together<const Plans extends readonly AskingPlan<unknown, unknown>[]>(
  plans: Plans,
): Generator<{ readonly together: Plans }, ResultsOf<Plans>, unknown> {
  return (yield { together: plans }) as ResultsOf<Plans>; // True: the driver continues with a result for each plan.
}

/** Instead of an answer: ends the whole plan with this result, when the plans side by side have no open questions. */
export class PlanEnd<T> {
  readonly result: T;

  constructor(result: T) {
    this.result = result;
  }
}

/** Answers each kind of question. The same question may be asked again. */
export type AnswersTo<Asked extends Question, End = never> = {
  readonly [Name in Asked['ask']]: (
    about: Extract<Asked, Question<Name>>['about'],
  ) => Promise<AnswerOf<Extract<Asked, Question<Name>>> | PlanEnd<End>>;
};

type AnyAnswers = Readonly<Record<string, (about: never) => Promise<unknown>>>;
type EndOf<Answer> = Answer extends PlanEnd<infer End> ? End : never;
type EndsOf<Answers extends AnyAnswers> = EndOf<Awaited<ReturnType<Answers[keyof Answers]>>>;

/**
 * Runs a plan: asks its questions one after the other, those of plans side by side at the same time. Returns the result of
 * the plan, or that of the first `PlanEnd`. Rejects if an answer rejects.
 */
export async function answerQuestions<Asked extends Question, T, Answers extends AnswersTo<Asked, unknown>>(
  plan: AskingPlan<Asked, T>,
  answers: Answers,
): Promise<T | EndsOf<Answers>> {
  const result = await drive(plan, ({ ask: name, about }) => {
    const answer = answers[name as keyof Answers] as Answering<unknown>; // True: it has an answer for each question.
    return answer(about);
  });
  return result instanceof PlanEnd ? (result.result as EndsOf<Answers>) : result; // True: only an answer ends a plan.
}

type Answering<Of> = (of: Of) => Promise<unknown>;

async function drive<Asked extends Question, T>(
  plan: AskingPlan<Asked, T>,
  answer: Answering<Asked>,
): Promise<T | PlanEnd<unknown>> {
  let step = plan.next();
  while (step.done !== true) {
    const asked = step.value;
    const answered = 'together' in asked ? await driveAll(asked.together, answer) : await answer(asked);
    if (answered instanceof PlanEnd) {
      return answered;
    }
    step = plan.next(answered);
  }
  return step.value;
}

async function driveAll<Asked extends Question>(
  plans: readonly AskingPlan<Asked, unknown>[],
  answer: Answering<Asked>,
): Promise<unknown> {
  const results = await Promise.all(plans.map(plan => drive(plan, answer)));
  return results.find(result => result instanceof PlanEnd) ?? results;
}
