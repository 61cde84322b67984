/** Dark or light: as the system has it, or as chosen here. */
import type { Store } from './labels.ts'

const KEY = 'jb-view theme'

export function theme(store: Store | undefined): void {
  try {
    const kept = store?.getItem(KEY)
    if (kept === 'dark' || kept === 'light') document.documentElement.dataset.theme = kept
  } catch {
    // The system's, then.
  }
}

export function toggleTheme(store: Store | undefined): void {
  const root = document.documentElement
  const now = root.dataset.theme ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')
  root.dataset.theme = now === 'dark' ? 'light' : 'dark'
  try {
    store?.setItem(KEY, root.dataset.theme)
  } catch {
    // For this time only.
  }
}
