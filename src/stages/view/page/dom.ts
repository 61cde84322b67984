/** Creates elements. Data only becomes text nodes: no markup is parsed. */

import { cutText } from './cut_text.ts'
import { HIDDEN, pictureOf } from './hidden.ts'

export type Child = Node | string | number | null | undefined | false | Child[]

type Props = { [name: string]: unknown }

/** Optional properties (`on…` are listeners, others attributes), then children. */
type Content = [Props, ...Child[]] | Child[]

type TagOf<Words extends string> = Words extends `${infer Tag}.${string}` ? Tag : Words

type ElementOf<Words extends string> =
  TagOf<Words> extends keyof HTMLElementTagNameMap ? HTMLElementTagNameMap[TagOf<Words>] : never

/** An HTML element. @param words its tag and classes, such as `p.note.small` */
export function h<Words extends string>(words: Words, ...content: Content): ElementOf<Words> {
  const [tag, ...classes] = words.split('.')
  return filled(document.createElement(tag!), classes, content) as ElementOf<Words>
}

/** An SVG element. @param words as of `h` */
export function s(words: string, ...content: Content): SVGElement {
  const [tag, ...classes] = words.split('.')
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag!) as SVGElement
  return filled(element, classes, content)
}

function filled<E extends Element>(element: E, classes: string[], content: Content): E {
  if (classes.length > 0) element.setAttribute('class', classes.join(' '))
  const [first, ...rest] = content
  if (typeof first !== 'object' || first === null || first instanceof Node || Array.isArray(first))
    return appendChildren(element, content as Child[])
  setAll(element, first)
  return appendChildren(element, rest as Child[])
}

function setAll(element: Element, props: Props): void {
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value as EventListener)
    // The page's policy forbids style attributes.
    else if (name === 'style')
      for (const [key, one] of Object.entries(value))
        (element as HTMLElement).style.setProperty(key, String(one))
    else if (name === 'value') (element as HTMLInputElement).value = String(value)
    else element.setAttribute(name, value === true ? '' : String(value))
  }
}

export function appendChildren<P extends Node>(parent: P, children: Child[]): P {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue
    if (Array.isArray(child)) appendChildren(parent, child)
    else parent.appendChild(child instanceof Node ? child : document.createTextNode(String(child)))
  }
  return parent
}

export function refill(parent: Element, ...children: Child[]): void {
  parent.replaceChildren()
  appendChildren(parent, children)
}

/** A name from the data on one line, isolated from the direction of the text around it. */
export const name = (text: string): HTMLElement =>
  h('bdi.name', { title: text.length > 40 ? cutText(text, 400) : undefined }, marked(cutText(text, 400)))

/** The text with its hidden characters made visible. */
export function marked(text: string): Child[] {
  const out: Child[] = []
  let from = 0
  for (const { 0: character, index } of text.matchAll(HIDDEN)) {
    if (index > from) out.push(text.slice(from, index))
    const shown = pictureOf(character)
    out.push(h('span.hidden-character', shown))
    from = index + character.length
  }
  if (from < text.length) out.push(from === 0 ? text : text.slice(from))
  return out
}

/** The number of characters of a long text that are shown at first. */
const FIRST = 20_000

/** A block of text from the data; of a long text, the beginning and a button for the rest. */
export function block(
  text: string,
  className = '',
  content: (text: string) => Child[] = marked,
): HTMLElement {
  const box = h('div', { class: `text ${className}`, dir: 'auto' })
  if (text.length <= FIRST) appendChildren(box, content(text))
  else {
    const all = h(
      'button.more',
      { onclick: () => refill(box, content(text)) },
      `show all ${text.length.toLocaleString('en')} characters`,
    )
    appendChildren(box, [content(cutText(text, FIRST)), '… ', all])
  }
  return box
}

export const button = (label: string, onclick: () => void, props: Props = {}) =>
  h('button.chip', { type: 'button', onclick, ...props }, label)

/** A button that is pressed or not. */
export const toggle = (label: Child, pressed: boolean, onclick: () => void, props: Props = {}) =>
  h('button.chip', { type: 'button', 'aria-pressed': String(pressed), onclick, ...props }, label)

/** A table. @param head,rows cells */
export const table = (className: string, head: Child, rows: Child[]) =>
  h(
    'table',
    { class: className },
    h('thead', h('tr', head)),
    h(
      'tbody',
      rows.map((cells) => h('tr', cells)),
    ),
  )

/** An element that scrolls sideways. */
export const scrolled = (label: string, content: Child) =>
  h('div.scroll', { tabindex: 0, role: 'region', 'aria-label': label }, content)

/** An element that can be opened. Its content is made when it is first opened. */
export function fold(summary: Child, content: () => Child, props: Props = {}): HTMLElement {
  const box = h('details', props, h('summary', summary))
  let made = false
  const make = () => {
    if (made || !box.open) return
    made = true
    appendChildren(box, [content()])
  }
  box.addEventListener('toggle', make)
  make()
  return box
}

/** Offers a file for download. */
export function download(file: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/x-ndjson' }))
  h('a', { href: url, download: file }).click()
  setTimeout(() => URL.revokeObjectURL(url), 1000)
}
