"""The languages whose words the lexical index knows: their codes, scripts and function words.

A word of a script that one of these languages is written in is taken to be of that language, whatever the
text around it. Words in Latin letters are of the language of their page.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

ARABIC, CZECH, ENGLISH, GERMAN, POLISH, RUSSIAN = "ar", "cs", "en", "de", "pl", "ru"

# Code -> what the lexical engine calls its stemmer (Snowball) and, where it has some, its stop words; empty
# where it has neither (see `kb_runtime.text.words`).
STEMMERS: Mapping[str, str] = {
    "ar": "arabic",
    "cs": "",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "es": "spanish",
    "fi": "finnish",
    "fr": "french",
    "hu": "hungarian",
    "it": "italian",
    "nl": "dutch",
    "no": "norwegian",
    "pl": "",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sv": "swedish",
    "ta": "tamil",
    "tr": "turkish",
}

# Letters that tell the language of a word by themselves.
_SCRIPTS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (RUSSIAN, re.compile("[\u0400-\u052f]")),
    (ARABIC, re.compile("[\u0620-\u064a\u066e-\u06d3\u06fa-\u06ff]")),
    ("el", re.compile("[\u0370-\u03ff\u1f00-\u1fff]")),
    ("ta", re.compile("[\u0b80-\u0bff]")),
)
# Two letters that are not Latin ones, with the signs between them; one by itself (α, µ) is a symbol.
_OTHER_LETTER = r"[^\W\d_\u0000-\u024f\u1e00-\u1eff]"
_IN_OTHER_LETTERS = re.compile(rf"{_OTHER_LETTER}\W{{0,2}}{_OTHER_LETTER}")
# Such a share of the words of a query has these letters if it is in one of their languages: much that it
# names has Latin ones (`шаблоны Jinja`), and a question in English may quote a word.
_IN_OTHERS = 0.3
# With accents that are characters of their own: names of files on a Mac and what is copied from them.
_ACCENTED = re.compile("[\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u0300-\u036f\u1e00-\u1eff]")
UNKNOWN, UNKNOWN_IN_LATIN = "und", "und-Latn"
"""What has letters of none of these languages, and what is none of them in Latin letters: without stems."""
BY_SCRIPT = frozenset(code for code, _ in _SCRIPTS)
"""The languages that need not be known of a page, because their letters say it."""
IN_LATIN = tuple(sorted(STEMMERS.keys() - BY_SCRIPT))

# Function words as questions use them: all for the languages of which the engine has none, for others
# those that its lists lack.
FUNCTION_WORDS: Mapping[str, str] = {
    "ar": """
        في من إلى الى على عن مع ما ماذا لماذا كيف متى أين اين هل هو هي هم هما هذا هذه ذلك تلك هؤلاء أن
        ان إن لا لم لن كان كانت يكون تكون قد لقد كل بعض أي اي أو او ثم بل لكن حتى إذا اذا عند عندما
        بعد قبل بين منذ مثل غير أنا انا نحن أنت انت الذي التي الذين كما لها له لهم بها به فيها فيه
        منها منه عليها عليه و ف ب ل حيث حول دون ليس يمكن يمكنني
        """,
    "cs": """
        a aby ale ani ano asi až bez bude budou by byl byla bylo byly být co což či čím další do ho i ja
        já jak jako jaký jaká jaké jakou je jeho jej její jejich jen jenž ještě ji jí jich jimi již jsem
        jsi jsme jsou jste k kam kde kdo kdy když ke který která které kterou kterých kteří lze má mají
        mám máme mezi mi mít mně může mohou můžete můžeme na nad nebo nebyl nejsou není než nic o od oba
        on ona oni ono pak po pod podle pokud pouze pro proč proto protože před při s se si sice svůj
        svou své ta tak také takže tam te ten tento této tato tedy těchto ti to toho tohle tomto tom tomu
        toto tu tuto tyto u už v vám vás ve více však všechny vždy z za zda zde ze že
        """,
    "da": "hvordan hvorfor hvilken hvilket hvilke kan",
    "de": "wann warum",
    "el": """
        ο η το οι τα του της των τον την και κι να σε στο στη στην στον στις στους στα με για από απο
        που πως πώς ως είναι ειναι ήταν θα δεν μη μην ένα ενα ένας μια μία τι ποιο ποια ποιος όταν
        πότε γιατί αν ή αλλά μου σου μας αυτό αυτός αυτή όπως μπορώ μπορεί έχω έχει κάνω
        """,
    "en": """
        a about again all also am an and any are aren as at be because been being both but by can
        cannot could couldn did didn do does doesn doing don during each else etc ever for from further had
        hadn has hasn have haven having he her here hers him his how however i if in into is isn it its
        itself just ll may me might more most must my no nor not of off on once only or other our ours out
        over own re s same shall she should shouldn so some such t than that the their theirs them then there
        these they this those through thus to too under until up upon us ve very was wasn we were weren what
        when where whether which while who whom whose why will with won would wouldn you your yours
        """,
    "es": "cuáles cuánto debe debo hacer puede puedo si",
    "fr": """
        aussi avoir comme comment doit dois dont est est-ce être faire lorsque où peut pourquoi puis quand
        quel quelle quelles quels quoi si ça
        """,
    "it": "cos cosa d deve dov fare posso può qual quali quando",
    "nl": "waar waarom wanneer welke",
    "pl": """
        a aby ale albo ani aż bardzo bez bo być był była było były będzie będą by ci co czego czy czyli
        dla do dlaczego gdy gdzie go i ich ile im inne iż ja jak jaka jaki jakie jako je jednak jego jej
        jest jestem jeszcze jeśli jeżeli już każdy kiedy kto która które którego której który których
        którym którzy lecz lub ma mają mi może możemy można możesz mu my na nad nam nas nie nic niż o od
        on ona one oni oraz pod po ponieważ poza przed przez przy są się sobie swój swoje ta tak taki
        takie także tam te tego tej temu ten też tę to tu tych tylko tym u w we więc wszystkie wszystko z
        za zawsze ze że żeby
        """,
    "pt": "deve fazer onde pode porque posso quais ter",
    "ro": """
        și si în in la de pe cu pentru din că ca este sunt era fi un o unui unei ale al a ai lui care
        ce cum când unde dacă sau nu mai se să sa îmi îl îi le eu tu el ea noi voi pot poate prin după
        fără între această acest
        """,
    # Of Ukrainian, whose words are stemmed as Russian ones.
    "ru": """
        й та чи що щоб як який яка яке які якщо якого якої яким коли де куди звідки чому навіщо чим це цей ця
        ці цього цієї цьому того тому тієї але або від до із зі після під при між через без для про у є був
        була було були бути може можна можуть треба потрібно його її їх йому їй ви ми він вона воно вони мене
        мені мій моя моє мої свій своя своє свої себе лише тільки також ще вже ніж тоді тут там
        """,
    "tr": """
        bir ve ile bu şu kaç kim nedir o da de mi mı mu mü ne nasıl neden niçin niye ne zaman nerede hangi
        için gibi kadar ama fakat veya ya ki ben sen biz siz onlar olarak olan var yok daha çok en her değil
        ise
        """,
}


def language_of_query(words: Iterable[str], in_latin: str) -> str:
    """The language that the letters of a query's words tell, if enough of them has others than Latin ones;
    `UNKNOWN` where they tell only that it is another one, `in_latin` for Latin letters."""
    listed = list(words)
    others = [each for each in listed if not each.isascii() and _IN_OTHER_LETTERS.search(each)]
    if not others or len(others) < _IN_OTHERS * len(listed):
        return in_latin
    return language_of_script(others[0]) or UNKNOWN


def is_accented(word: str) -> bool:
    """Whether a word has a Latin letter that English has not."""
    return not word.isascii() and _ACCENTED.search(word) is not None


def language_of_script(word: str) -> str:
    """The language that the letters of a word tell; empty for Latin letters and for other scripts."""
    if word.isascii():
        return ""
    return next((code for code, letters in _SCRIPTS if letters.search(word)), "")
