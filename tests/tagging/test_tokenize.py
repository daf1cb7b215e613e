"""Sentences and words of raw text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.tagging.tokenize import sentences
from tests.conftest import first_quick, takes_at_most


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The cat sat.", "The cat sat ."),
        ("No end", "No end"),
        ("I don't, can't and shouldn't've.", "I do n't , ca n't and should n't 've ."),
        ("DON'T! I cannot.", "DO N'T ! | I can not ."),
        ("John's dogs' names aren't O'Brien's.", "John 's dogs ' names are n't O'Brien 's ."),
        ("I'm sure we're where they'll say he'd.", "I 'm sure we 're where they 'll say he 'd ."),
        ("It’s “fine,” he said. ‘Oh.’ She", "It ’s “ fine , ” he said . | ‘ Oh . ’ | She"),
        ("3.5 of 1,000, i.e. 50%.", "3.5 of 1,000 , i.e. 50 % ."),
        ("$3.50 or -5, +.5 and .5?", "$ 3.50 or -5 , +.5 and .5 ?"),
        ("At 10:30 on 12/31/1999. 2nd", "At 10:30 on 12/31/1999 . | 2nd"),
        ("In the '90s, the 1980s.", "In the '90s , the 1980s ."),
        ("Mr. Smith and Dr. Who vs. Acme Corp. here", "Mr. Smith and Dr. Who vs. Acme Corp. here"),
        ("The U.S. Army, e.g. in the U.S.A today", "The U.S. Army , e.g. in the U.S.A today"),
        ("John F. Kennedy met J.K. Rowling, Ph.D.", "John F. Kennedy met J.K. Rowling , Ph.D."),
        ("A 10-year-old, U.S.-based co-op.", "A 10-year-old , U.S.-based co-op ."),
        ("AT&T and/or R&D", "AT&T and/or R&D"),
        ("No. 5 is here. No. That's p. 7.", "No. 5 is here . | No . | That 's p. 7 ."),
        (
            "See https://a.org/b?c=d. Or (www.x.com/)!",
            "See https://a.org/b?c=d . | Or ( www.x.com/ ) !",
        ),
        ("Ask a.b+c@x-y.co.uk. Now", "Ask a.b+c@x-y.co.uk . | Now"),
        ("Open setup.py. Then", "Open setup.py . | Then"),
        ("Well... yes… No... So", "Well ... yes … | No ... | So"),
        ("Wait!!! What?! yes", "Wait !!! | What ?! yes"),
        ('"Stop." "Why?" she asked.', '" Stop . " | " Why ? " she asked .'),
        ("(He left.) [Then] {x}", "( He left . ) | [ Then ] { x }"),
        ("It ended. (See 5.) 7 left.", "It ended . | ( See 5 . ) | 7 left ."),
        ("yes--no—so - x", "yes -- no — so - x"),
        ("``Go,'' he said.", "`` Go , '' he said ."),
        ("Müller aß Äpfel. Öl! Да. Это я.", "Müller aß Äpfel . | Öl ! | Да . | Это я ."),
        ("cafe\u0301 हिन्दी שָׁלוֹם", "cafe\u0301 हिन्दी שָׁלוֹם"),
        ("A line\nand\tanother.\r\n\r\nnext\n \n\nend", "A line and another . | next | end"),
        ("Inc.\n\nNext", "Inc. | Next"),
        ("approx. 5 km. it", "approx. 5 km . it"),
        ("x=y; a<b: *c* ==", "x = y ; a < b : * c * =="),
    ],
)
def test_sentences(text, expected):
    assert " | ".join(map(" ".join, sentences(text))) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Great👍👍 stuff🎉!", "Great 👍 👍 stuff 🎉 !"),
        ("I ❤\ufe0f it, ❤\ufe0fyou ❤", "I ❤\ufe0f it , ❤\ufe0f you ❤"),  # as a picture
        ("👍🏽👍🏿ok", "👍🏽 👍🏿 ok"),  # skins
        (
            "👨\u200d👩\u200d👧\u200d👦👩🏾\u200d💻",
            "👨\u200d👩\u200d👧\u200d👦 👩🏾\u200d💻",
        ),  # joined
        ("🏳\ufe0f\u200d🌈 🧔\u200d♂\ufe0f.", "🏳\ufe0f\u200d🌈 🧔\u200d♂\ufe0f ."),
        ("🇫🇷🇩🇪 🇪🇺s 🇫", "🇫🇷 🇩🇪 🇪🇺 s 🇫"),  # flags of two letters
        ("🏴\U000e0067\U000e0062\U000e007f!", "🏴\U000e0067\U000e0062\U000e007f !"),
        ("1\ufe0f⃣2⃣ #\ufe0f⃣ ℹ\ufe0f 12", "1\ufe0f⃣ 2⃣ #\ufe0f⃣ ℹ\ufe0f 12"),
        ("Ⅳ ① ❶x a→b ©2020 Acme™", "Ⅳ ① ❶x a → b © 2020 Acme ™"),  # digits of a kind; signs
        ("Hi :-) you :) ;-) ;) :D :( :-( :P :'(", "Hi :-) you :) ;-) ;) :D :( :-( :P :'("),
        ("Nice.:) I <3 it <3! 👍:)", "Nice . :) I <3 it <3 ! 👍 :)"),
        ("(as follows:) f(a;) x:(y) C:D", "( as follows : ) f ( a ; ) x : ( y ) C : D"),
        ("<30 <3.5 <3% a<3 :Dog :(a)", "< 30 < 3.5 < 3 % a < 3 : Dog : ( a )"),
    ],
)
def test_pictures_and_smileys_are_whole(text, expected):
    assert " | ".join(map(" ".join, sentences(text))) == expected


@pytest.mark.parametrize("text", ["", " \n\n \t", "\u2028"])
def test_nothing(text):
    assert sentences(text) == []


@given(st.text(st.sampled_from("aA1.,'’n t-!?\"()\n@:/&é\u0301$%")))
def test_nothing_is_lost(text):
    found = sentences(text)
    assert all(found)
    assert "".join(token for tokens in found for token in tokens) == "".join(text.split())


@given(st.text())
def test_any_text(text):
    assert "".join(map("".join, sentences(text))) == "".join(text.split())


@pytest.mark.parametrize(
    "unit",
    first_quick(
        [
            "a",
            ".",
            "(",
            " ",
            "\n",
            "-",
            "!",
            "1,",
            "a.",
            "aa.",
            "a-",
            "an't",
            "www.",
            "x.x@",
            "👍",
            "👍🏽",
            "👨\u200d",
            "🇫",
            "\ufe0f",
            "\u200d",
            "1\ufe0f",
            ":-",
            ":)",
            "<3",
            ";'",
        ],
        5,
    ),
)
def test_long_texts_take_linear_time(unit):
    text = unit * (1_000_000 // len(unit))
    assert "".join(map("".join, sentences(text))) == text.strip()
    assert takes_at_most(1, lambda: list(sentences(text)))
