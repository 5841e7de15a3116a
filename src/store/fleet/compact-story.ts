import type { RequestStory } from '../../telemetry/requests/request-story.ts';

const TEXT_BYTES_MAX = 4_096;
/** Steps of a story that is too long. */
const STEPS_MAX = 15;
const TEXT_CHARS_MAX = 200;

/** A story as text. One that is too long keeps its longest steps. */
export function storyText(story: RequestStory): string {
  const text = JSON.stringify(story);
  if (Buffer.byteLength(text) <= TEXT_BYTES_MAX) return text;
  const longest = new Set(story.steps.toSorted((a, b) => b.ms - a.ms).slice(0, STEPS_MAX));
  const steps = story.steps.filter((step) => longest.has(step));
  return JSON.stringify({
    ...story,
    detail: story.detail?.slice(0, TEXT_CHARS_MAX),
    cause: story.cause?.slice(0, TEXT_CHARS_MAX),
    plan: story.plan && { kind: story.plan.kind },
    steps,
    stepsLeftOut: story.stepsLeftOut + story.steps.length - steps.length,
  });
}
