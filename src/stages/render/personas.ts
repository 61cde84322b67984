/** `--personas`: who the judge is, for each criterion, as the persona judge made it up. */
import { criterionKey } from '../../criteria/_criterion.ts'
import { readText } from '../../files/text.ts'
import { type Criterion, configError, EXIT, type Json, RowFailure } from '../../rows/record.ts'

/** By criterion: all it says, but not how it counts. */
export type Personas = ReadonlyMap<string, Json>

/** Rows of the persona judge: the persona made for each criterion. @throws Fatal (configuration) */
export function readPersonas(path: string): Personas {
  const personas = new Map<string, Json>()
  for (const [index, line] of readText(path, EXIT.config).split('\n').entries()) {
    if (line.trim() === '') continue
    try {
      const { jb } = JSON.parse(line) as { jb?: { criterion?: Criterion; verdict?: { items?: Json[] } } }
      const persona = jb?.verdict?.items?.[0]
      if (!jb?.criterion || persona === undefined) continue
      for (const one of [jb.criterion, { ...jb.criterion, options: [] }])
        personas.set(criterionKey(one), persona)
    } catch {
      throw configError(`${path}:${index + 1}: not valid JSON`)
    }
  }
  if (personas.size === 0)
    throw configError(
      `--personas ${path}: no persona in it (jb-render persona … | jb-call | jb-parse makes them)`,
    )
  return personas
}

export function personaFor(criterion: Criterion, personas: Personas, path: string): Json {
  const persona = personas.get(criterionKey(criterion))
  if (persona === undefined)
    throw new RowFailure('missing_field', `${path} has no persona for criterion "${criterion.name}"`)
  return persona
}
