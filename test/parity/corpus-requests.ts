// Answers the requests of the corpus's own players with a client of this project.
import {
  type Answer,
  type Instant,
  type Intent,
  isJsonObject,
  type JsonObject,
  type Kubernetes,
  type ObjectRef,
} from '@capi-serverless/apimachinery';
import { toTimestamp } from '@capi-serverless/apimachinery/timestamp';
import type { CorpusCode, CorpusRequest } from './corpus-code.ts';

interface Requesting {
  readonly kubernetes: Kubernetes;
  readonly kinds: CorpusCode['kinds'];
  readonly fieldManager: string;
  /** The players of the corpus write the real time. */
  readonly now: () => Instant;
}

const pathForm =
  /^\/(?:api|apis)\/(?<apiVersion>.+?)(?:\/namespaces\/(?<namespace>[^/]+))?\/(?<plural>[a-z]+)(?:\/(?<name>[^/]+?)(?<status>\/status)?)?$/;

/** Throws the refusals of the API server, with their status. */
export function toCorpusRequest({ kubernetes, kinds, fieldManager, now }: Requesting): CorpusRequest {
  return async (method, path, { body } = {}) => {
    const [resource = ''] = path.split('?');
    const { plural, status, apiVersion = '', namespace, name = '' } = pathForm.exec(resource)?.groups ?? {};
    const kind = [...kinds.values()].find(each => each.plural === plural)?.kind ?? '';
    const of = { apiVersion, kind, ...(namespace === undefined ? {} : { namespace }) };
    const ref: ObjectRef = { ...of, name };
    const written = atTime(body, toTimestamp(now()));
    switch (method) {
      case 'GET':
        return { items: must(await kubernetes.list(of)) };
      case 'POST':
        return must(await kubernetes.create(written as unknown as Intent, { fieldManager })); // true: the corpus sends objects
      case 'PATCH':
        return must(
          await kubernetes.mergePatch(ref, written, {
            fieldManager,
            ...(status === undefined ? {} : { subresource: 'status' }),
          }),
        );
      default:
        throw new Error(`A player of the corpus sends ${method} ${path}`);
    }
  };
}

/** Returns the body whose conditions changed now. */
function atTime(body: unknown, time: string): JsonObject {
  const change = (value: unknown): unknown => {
    if (Array.isArray(value)) {
      return value.map(change);
    }
    return isJsonObject(value)
      ? Object.fromEntries(
          Object.entries(value).map(([key, inner]) => [key, key === 'lastTransitionTime' ? time : change(inner)]),
        )
      : value;
  };
  return change(body) as JsonObject; // true: an object keeps its form
}

function must<T>(answer: Answer<T>): T {
  if (!answer.ok) {
    const { message, code } = answer.failure;
    throw Object.assign(new Error(message), { status: code });
  }
  return answer.value;
}
